"""The reader says of a script nothing else than what bash really passes."""

from __future__ import annotations

import pytest
from bash_twin import BASH, Leave, Twin, fits, launched, unknown, variants
from hypothesis import HealthCheck, given, settings
from shell_generation import Generated, scripts
from shell_scripts import BRANCHING, NO_LAUNCH, STRAIGHT, Example

from sglang_lint.readers.shell.reader import read_script
from sglang_lint.text import MappedText

pytestmark = pytest.mark.skipif(BASH is None, reason="bash is not installed")


@pytest.fixture(scope="module")
def twin(tmp_path_factory: pytest.TempPathFactory) -> Twin:
    return Twin(tmp_path_factory.mktemp("twin"))


def _name(example: Example) -> str:
    return example.name.replace(" ", "-")


@pytest.mark.parametrize("example", STRAIGHT + BRANCHING, ids=_name)
def test_real_arguments_are_those_of_a_variant(example: Example, twin: Twin) -> None:
    found = variants(read_script(MappedText.region(example.script)).launches)
    for environment in example.runs:
        real = launched(twin.run(example.script, environment, example.arguments))
        assert real, "the script starts nothing"
        for arguments in real:
            fitting = [variant for variant in found if fits(variant, arguments)]
            assert fitting, arguments
            assert min(unknown(variant) for variant in fitting) <= example.unknown


@pytest.mark.parametrize("example", STRAIGHT + BRANCHING, ids=_name)
def test_every_variant_comes_about(example: Example, twin: Twin) -> None:
    """No variant stands for a way through the script that cannot be taken."""
    real = [
        arguments
        for environment in example.runs
        for arguments in launched(twin.run(example.script, environment, example.arguments))
    ]
    for variant in variants(read_script(MappedText.region(example.script)).launches):
        assert any(fits(variant, arguments) for arguments in real), variant.condition


@pytest.mark.parametrize("example", NO_LAUNCH, ids=_name)
def test_what_starts_nothing_is_no_launch(example: Example, twin: Twin) -> None:
    assert launched(twin.run(example.script, {})) == []
    assert read_script(MappedText.region(example.script)).launches == ()


_MANY = settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@_MANY
@given(scripts())
def test_generated_scripts(twin: Twin, generated: Generated) -> None:
    """Of any script, what is said to be known is what bash passes."""
    found = variants(read_script(MappedText.region(generated.script)).launches)
    leave = Leave(set=bool(generated.environment), blanks=True)
    for arguments in launched(twin.run(generated.script, generated.environment)):
        assert any(fits(variant, arguments, leave) for variant in found), arguments

"""What speaks of SGLang and starts nothing, or starts something else."""

from __future__ import annotations

import pytest
from python_reading import reading_of

CMD = "python3 -m sglang.launch_server --model-path m --tp 8"
L = "'python3', '-m', 'sglang.launch_server', '--tp', '8'"

SILENT = {
    "docstring of a module": f'"""Run\n{CMD}\n"""\nimport os\n',
    "docstring of a function": f'def f():\n    """Start it:\n    {CMD}\n    """\n',
    "docstring of a class": f'class A:\n    """{CMD}"""\n',
    "comment": f"# {CMD}\nimport sglang\n",
    "printed": f"print('{CMD}')\n",
    "printed list": f"print([{L}])\n",
    "printed after joining": f"cmd = [{L}]\nprint(' '.join(cmd))\n",
    "printed and kept": f"cmd = [{L}]\nprint(cmd)\n",
    "logged": f"import logging\nlogging.info('run %s', '{CMD}')\n",
    "logged list": f"logger.debug('x', [{L}])\n",
    "warned": f"import warnings\nwarnings.warn('start it with {CMD}')\n",
    "raised": f"raise RuntimeError('start it with {CMD}')\n",
    "raised with a list": f"cmd = [{L}]\nraise ValueError(cmd)\n",
    "asserted": f"assert cmd == [{L}]\n",
    "assertion of a test": f"class T:\n    def test(self):\n        self.assertEqual(f(), [{L}])\n",
    "compared": f"if cmd == [{L}]:\n    pass\n",
    "membership": f"ok = 'sglang.launch_server' in [{L}]\n",
    "help of an option": (
        f"import argparse\np = argparse.ArgumentParser()\np.add_argument('--x', help='{CMD}')\n"
    ),
    "description of a parser": f"import argparse\nargparse.ArgumentParser(description='{CMD}')\n",
    "usage text": f"USAGE = '''\n{CMD}\n'''\nprint(USAGE)\n",
    "a string that is only kept": f"CMD = '{CMD}'\n",
    "formatted for a message": f"message = 'use {{}}'.format('{CMD}')\n",
    "formatted list": f"cmd = [{L}]\nmessage = f'running {{cmd}}'\n",
    "skipped test": f"import pytest\npytest.skip('needs {CMD}')\n",
    "written to a file": f"open('run.sh', 'w').write('{CMD}')\n",
    "a display that stands alone": f"[{L}]\n",
    "killed": "import subprocess\nsubprocess.run(['pkill', '-f', 'sglang.launch_server'])\n",
    "killed by a shell": "import os\nos.system('pkill -f sglang.launch_server')\n",
    "searched": (
        "import subprocess\nsubprocess.run(['pgrep', '-f', 'python3 -m sglang.launch_server'])\n"
    ),
    "echoed": f"import os\nos.system('echo {CMD}')\n",
    "asked for help": (
        "import subprocess\nsubprocess.run(['python3', '-m', 'sglang.launch_server', '--help'])\n"
    ),
    "module alone": "import subprocess\nsubprocess.run(['python3', '-m', 'sglang'])\n",
    "module without -m": "import subprocess\nsubprocess.run(['python3', 'sglang.launch_server'])\n",
    "router": (
        "import subprocess\n"
        "subprocess.run(['python3', '-m', 'sglang_router.launch_router', '--tp', '8'])\n"
    ),
    "router arguments": "from sglang_router.router_args import RouterArgs\nRouterArgs(tp_size=2)\n",
    "another engine": "from vllm import Engine\nEngine(model_path='m')\n# unlike sglang.Engine\n",
    "another server": (
        "import subprocess\nsubprocess.run(['vllm', 'serve', 'm'])  # not sglang serve\n"
    ),
    "another ServerArgs": (
        "from mine.server_args import ServerArgs\nServerArgs(tp_size=2)  # like sglang\n"
    ),
    "own ServerArgs": "class ServerArgs:\n    pass\nServerArgs(tp_size=2)  # sglang\n",
    "own Engine beside SGLang": "import sglang\nclass Engine:\n    pass\nEngine(tp_size=2)\n",
    "undefined Engine": "import sglang\nEngine(tp_size=2)\n",
    "name set over the import": "from sglang import Engine\nEngine = object\nEngine(tp_size=2)\n",
    "an attribute of another object": (
        "import sglang\ncfg.Engine(tp_size=2)\ncfg.ServerArgs(tp_size=2)\n"
    ),
    "a longer package": "import sglang_jax as sgl\nsgl.Engine(tp_size=2)  # sglang\n",
    "JAX": (
        "import subprocess\n"
        "subprocess.run(['python3', '-m', 'sgl_jax.launch_server', '--tp', '8'])  # sglang\n"
    ),
    "diffusion arguments": (
        "from sglang.multimodal_gen.runtime.server_args import ServerArgs\nServerArgs(tp_size=2)\n"
    ),
    "diffusion server": (
        "import subprocess\nsubprocess.run(['sglang', 'serve', 'm', '--num-gpus', '2'])\n"
    ),
    "generation": (
        "import subprocess\nsubprocess.run(['sglang', 'generate', '--model-path', 'm'])\n"
    ),
    "frontend": "from sglang.lang.ir import Engine\nEngine(tp_size=2)\n",
    "a type": (
        "from sglang.srt.server_args import ServerArgs\n"
        "def f(args: ServerArgs) -> ServerArgs:\n    return args\n"
    ),
    "an instance check": "from sglang import Engine\nok = isinstance(x, Engine)\n",
    "a class to derive from": "import sglang\nclass Mine(sgl.Engine):\n    pass\n",
    "a class with a constructor of its own": (
        "import sglang\nclass Mine(sglang.Engine):\n    def __init__(self, **kw):\n        pass\n"
        "Mine(tp_size=2)\n"
    ),
    "a class method": (
        "from sglang.srt.server_args import ServerArgs\nServerArgs.from_cli_args(a)\n"
    ),
    "options added to a parser": (
        "from sglang.srt.server_args import ServerArgs\nServerArgs.add_cli_args(p)\n"
    ),
    "engine of arguments from elsewhere": "import sglang\nsglang.Engine(server_args=args)\n",
    "own helper of that name": (
        "def popen_launch_server(m, u):\n    pass\npopen_launch_server('sglang', 'u')\n"
    ),
    "helper for another program": (
        "from sglang.test.test_utils import popen_launch_server\n"
        "popen_launch_server('m', U, timeout=1, other_args=['--x'], pd_separated=True)\n"
    ),
    "attributes of a plain test": (
        "from sglang.test.test_utils import CustomTestCase\n"
        "class T(CustomTestCase):\n    other_args = ['--tp', '8']\n"
    ),
    "attributes of another class": "class T(Base):\n    other_args = ['--tp', '8']  # sglang\n",
    "a shell string without a shell": f"import subprocess\nsubprocess.run('{CMD}')\n",
    "a name in a set": "MODULES = {'sglang.launch_server', 'sglang.srt.entrypoints.http_server'}\n",
    "words of another program": (
        "import subprocess\nsubprocess.run(['docker', 'pull', 'lmsysorg/sglang:v0.5.9'])\n"
    ),
    "a list whose elements may all be gone": (
        f"import subprocess\ncmd = [{L}]\ncmd.remove(x)\nsubprocess.run(cmd)\n"
    ),
    "a script of SGLang's": (
        "import subprocess\nsubprocess.run(['python3', '-m', 'sglang.bench_serving', '--x'])\n"
    ),
    "an import alone": "import sglang as sgl\nfrom sglang import Engine, function\n",
    "an empty file": "",
}


@pytest.mark.parametrize("text", SILENT.values(), ids=SILENT)
def test_nothing_is_started(text: str) -> None:
    reading = reading_of(text)
    assert reading.launches == ()
    assert reading.faults == ()


def test_a_list_that_is_compared_and_run_is_a_launch() -> None:
    text = f"import subprocess\ncmd = [{L}]\nassert cmd\nprint(cmd)\nsubprocess.run(cmd)\n"
    assert len(reading_of(text).launches) == 1

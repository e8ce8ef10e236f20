"""The language server through a real client over standard input and output."""

import sys
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient

TEXT = (
    "# é 😀\n"
    "M='😀' python3 -m sglang.launch_server --model-path deepseek-ai/DeepSeek-V3 --tp 8"
    " --dcp-size 2 --attention-backend trtllm_mla\n"
)


@pytest_lsp.fixture(
    params=[types.PositionEncodingKind.Utf16, types.PositionEncodingKind.Utf32],
    config=ClientServerConfig(server_command=[sys.executable, "-m", "sglang_lint", "server"]),
)
async def client(
    request: pytest.FixtureRequest, lsp_client: LanguageClient
) -> AsyncGenerator[LanguageClient, None]:
    capabilities = types.ClientCapabilities(
        general=types.GeneralClientCapabilities(position_encodings=[request.param])
    )
    result = await lsp_client.initialize_session(
        types.InitializeParams(
            capabilities=capabilities,
            initialization_options={"sglangVersion": "0.5.18", "platform": "cuda-sm100"},
        )
    )
    lsp_client.encoding = result.capabilities.position_encoding  # type: ignore[attr-defined]
    yield
    await lsp_client.shutdown_session()


def open_document(client: LanguageClient, path: Path, text: str) -> str:
    uri = path.as_uri()
    client.text_document_did_open(
        types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "shellscript", 1, text))
    )
    return uri


@pytest.mark.asyncio
async def test_diagnostics_are_pushed_with_the_client_s_columns(
    client: LanguageClient, tmp_path: Path
) -> None:
    uri = open_document(client, tmp_path / "launch.sh", TEXT)
    await client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    (diagnostic,) = client.diagnostics[uri]
    assert (diagnostic.code, diagnostic.severity) == ("SGL101", types.DiagnosticSeverity.Error)
    column = TEXT.splitlines()[1].index("--dcp-size")
    astral = 1 if client.encoding == types.PositionEncodingKind.Utf16 else 0  # type: ignore[attr-defined]
    assert diagnostic.range.start == types.Position(1, column + astral)
    assert diagnostic.range.end == types.Position(1, column + astral + len("--dcp-size 2"))
    assert diagnostic.code_description is not None


@pytest.mark.asyncio
async def test_an_edit_that_mends_the_launch_clears_it(
    client: LanguageClient, tmp_path: Path
) -> None:
    uri = open_document(client, tmp_path / "launch.sh", TEXT)
    await client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(
            types.VersionedTextDocumentIdentifier(2, uri),
            [types.TextDocumentContentChangeWholeDocument(TEXT.replace("trtllm", "cutedsl"))],
        )
    )
    await client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    assert not client.diagnostics[uri]

"""A language server that pushes diagnostics for every open document."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from sglang_lint import __version__
from sglang_lint.cli import MisuseError
from sglang_lint.commands.judging import Configurations, settings_of
from sglang_lint.engine import Settings
from sglang_lint.language_server.convert import SOURCE, as_protocol
from sglang_lint.project.run import lint_document, with_configuration
from sglang_lint.project.surroundings import Surroundings
from sglang_lint.text import Document


class Server(LanguageServer):
    """The server with the settings that the client sent when it started."""

    def __init__(self) -> None:
        super().__init__(SOURCE, __version__)
        self.settings: Settings | None = None

    def configure(self, options: dict[str, Any]) -> None:
        """Take the client's initialization options; a wrong one is shown and left out."""
        words = {key: options.get(key) for key in ("sglangVersion", "platform", "model")}
        try:
            self.settings = settings_of(*words.values())
        except MisuseError as error:
            self._show(str(error))
            self.settings = settings_of(None, None, None)

    def publish(self, uri: str) -> None:
        """Lint an open document as it stands in the editor and push what is found."""
        source = self.workspace.get_text_document(uri)
        path = Path(to_fs_path(uri) or uri)
        document = Document(path.as_posix(), source.source)
        settings = self.settings or settings_of(None, None, None)
        try:
            settings = with_configuration(settings, Configurations()(path))
        except MisuseError as error:
            self._show(str(error))
        top = self.workspace.root_path
        settings = Surroundings([Path(top) if top else path]).added(settings, path)
        analysis = lint_document(document, settings).analysis
        codec = self.workspace.position_codec
        self.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(
                uri,
                [as_protocol(item, document, uri, codec) for item in analysis.diagnostics],
                version=source.version,
            )
        )

    def _show(self, message: str) -> None:
        self.window_show_message(
            types.ShowMessageParams(types.MessageType.Warning, f"sglang-lint: {message}")
        )


def create_server() -> Server:
    """A server with its handlers."""
    server = Server()

    @server.feature(types.INITIALIZE)
    def initialize(ls: Server, params: types.InitializeParams) -> None:
        options = params.initialization_options
        ls.configure(options if isinstance(options, dict) else {})

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(ls: Server, params: types.DidOpenTextDocumentParams) -> None:
        ls.publish(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(ls: Server, params: types.DidChangeTextDocumentParams) -> None:
        ls.publish(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(ls: Server, params: types.DidCloseTextDocumentParams) -> None:
        ls.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(params.text_document.uri, [])
        )

    return server

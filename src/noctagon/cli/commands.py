"""The table of all commands, those of the games included; each is imported when it is used or listed."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from functools import cache
from inspect import cleandoc, getdoc
from typing import Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup

from noctagon.core.game import NoctagonError


class ListedCommand(NamedTuple):
    """A command: `module:function`, or `module:app` for a `typer.Typer` with several; and how it is listed."""

    target: str
    panel: str
    """The heading in the list of all commands."""
    settings: Mapping[str, Any] = {}
    """The `context_settings` of a function's command."""
    kind: str = "noctagon.cli.commands:Command"
    """The class of a function's command."""
    hidden: bool = False


PLAYING, COMPETING = "Play and watch", "Compete and measure"
BOTS, INSIGHT = "Bots over a wire", "Understand"

COMMANDS = {
    "play": ListedCommand("noctagon.cli.play:play", PLAYING),
    "web": ListedCommand("noctagon.cli.web:web", PLAYING),
    "replay": ListedCommand("noctagon.cli.replay:replay", PLAYING),
    "games": ListedCommand("noctagon.cli.games:games", PLAYING),
    "players": ListedCommand("noctagon.cli.players:players", PLAYING),
    "tournament": ListedCommand("noctagon.cli.tournament:app", COMPETING),
    "match": ListedCommand("noctagon.cli.match:match", COMPETING, kind="noctagon.cli.match:MatchCommand"),
    "sprt": ListedCommand("noctagon.cli.sprt:sprt", COMPETING),
    "records": ListedCommand("noctagon.cli.records:app", COMPETING),
    "ladder": ListedCommand(
        "noctagon.cli.study:ladder",
        COMPETING,
        {"allow_extra_args": True, "ignore_unknown_options": True},
        hidden=True,
    ),
    "serve": ListedCommand("noctagon.cli.serve:serve", BOTS),
    "join": ListedCommand("noctagon.cli.join:join", BOTS),
    "check-bot": ListedCommand(  # what comes after the first word of the bot's command belongs to it
        "noctagon.cli.check_bot:check_bot", BOTS, {"allow_interspersed_args": False}
    ),
    "explain": ListedCommand("noctagon.cli.explain:explain", INSIGHT),
    "analyse": ListedCommand("noctagon.cli.analyse:analyse", INSIGHT),
    "study": ListedCommand("noctagon.cli.study:study", INSIGHT),
    "perft": ListedCommand("noctagon.cli.perft:perft", INSIGHT),
    "bench": ListedCommand("noctagon.cli.bench:bench", INSIGHT),
}
"""The commands of every installation, in the order of the list."""


@cache
def all_commands() -> Mapping[str, ListedCommand]:
    """Return the commands by name, with those of the installed games under their titles; importing the games."""
    from noctagon.core.registry import find_game, game_names

    games = [find_game(name) for name in game_names()]
    brought = {
        name: ListedCommand(target, game.title) for game in games for name, target in game.commands.items()
    }
    return {**COMMANDS, **{name: entry for name, entry in brought.items() if name not in COMMANDS}}


def _unlabelled(params: list[Any]) -> list[Any]:
    """Return the same options; a flag, which takes no value, has no name for one."""
    for param in params:
        if getattr(param, "is_flag", False) and param.metavar is None:
            param.metavar = ""
    return params


class Command(TyperCommand):
    """A command whose help says of a flag what it does, not that it is a bool."""

    def get_params(self, ctx: Any) -> list[Any]:
        return _unlabelled(super().get_params(ctx))


class Group(TyperGroup):
    """A group of commands with the same help."""

    def get_params(self, ctx: Any) -> list[Any]:
        return _unlabelled(super().get_params(ctx))


class Commands(Group):
    """All commands, each built when it is used; a mistyped one gets the near ones."""

    listing = False
    """Only the outline of each command is needed, without its options."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(all_commands())

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        table = COMMANDS if cmd_name in COMMANDS else all_commands()
        if cmd_name not in table:
            return None
        return (outline if self.listing else build)(cmd_name, table[cmd_name])

    def format_help(self, ctx: Any, formatter: Any) -> None:
        self.listing = True
        try:
            super().format_help(ctx, formatter)
        finally:
            self.listing = False

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            near = get_close_matches(args[0], self.list_commands(ctx), n=2, cutoff=0.5)
            hint = f"; did you mean {' or '.join(near)}?" if near else "; see noctagon --help"
            ctx.fail(f"there is no command {args[0]!r}{hint}")
        return super().resolve_command(ctx, args)


def outline(name: str, entry: ListedCommand) -> TyperCommand:
    """Return a command that is only listed."""
    target = _load(name, entry)
    text = target.info.help if isinstance(target, typer.Typer) else getdoc(target)
    return TyperCommand(
        name, help=_unwrapped(text or ""), rich_help_panel=entry.panel, hidden=entry.hidden, callback=None
    )


def build(name: str, entry: ListedCommand) -> TyperCommand | TyperGroup:
    """Return a command that can be called."""
    target = _load(name, entry)
    holder = typer.Typer(add_completion=False)
    holder.callback()(lambda: None)  # a group even if it holds a single command
    if isinstance(target, typer.Typer):
        _unwrap_help(target)
        holder.add_typer(target, name=name, cls=target.info.cls or Group)
    else:
        kind = pkgutil.resolve_name(entry.kind)
        text = _unwrapped(getdoc(target) or "")
        holder.command(name, cls=kind, context_settings=dict(entry.settings), help=text)(target)
    return typer.main.get_group(holder).commands[name]  # type: ignore[return-value] # made by the lines above


def _load(name: str, entry: ListedCommand) -> Callable[..., Any]:
    """Import a command; one of a game that cannot be imported says so when it is called, and harms no other."""
    if name in COMMANDS:
        return pkgutil.resolve_name(entry.target)  # type: ignore[no-any-return] # a test resolves them all
    try:
        target = pkgutil.resolve_name(entry.target)
        if not callable(target):
            raise TypeError(
                f"{entry.target} is {type(target).__name__}, neither a function nor a typer.Typer"
            )
    except (Exception, SystemExit) as error:
        why = f"the command {name!r} of {entry.panel} cannot be imported: {type(error).__name__}: {error}"

        def fail() -> None:
            raise NoctagonError(why)

        fail.__doc__ = why[0].upper() + why[1:]
        return fail
    return target  # type: ignore[no-any-return] # checked above


def _unwrap_help(app: typer.Typer) -> None:
    """Give each command of a group our form of help."""
    for command in app.registered_commands:
        command.cls = Command if command.cls in (None, TyperCommand) else command.cls
        command.help = _unwrapped(command.help or getdoc(command.callback) or "")
    for group in app.registered_groups:
        if group.typer_instance is not None:
            _unwrap_help(group.typer_instance)


def _unwrapped(text: str) -> str:
    """Return a help text whose paragraphs break where the terminal does, not where the docstring does."""
    return "\n\n".join(paragraph.replace("\n", " ") for paragraph in cleandoc(text).split("\n\n"))

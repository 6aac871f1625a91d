"""The pictures of ``card report``: one radar of all cards, a grid of small ones, one a family."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.files import write_whole
from pytest_jevbench.json_text import printable, shown
from pytest_jevbench.reports.families import Families, read_families
from pytest_jevbench.reports.png import png_of_svg
from pytest_jevbench.reports.radar_cards import RadarLevel, radar_grid_of_cards, radar_of_cards, radars_by_family
from pytest_jevbench.reports.scatter import scatter_svg
from pytest_jevbench.reports.text import representable
from pytest_jevbench.scoring.card_reading import Card
from pytest_jevbench.scoring.coherence_accuracy import card_points
from pytest_jevbench.slugs import file_name

__all__ = ["add_picture_arguments", "pictures_wanted", "write_pictures"]

_LEVELS = ("dimension", "group")


def add_picture_arguments(parser: argparse.ArgumentParser) -> None:
    """The options that draw."""
    pictures = parser.add_argument_group(
        "pictures", "instead of the table: SVG, or PNG where a path ends in .png (extra png)"
    )
    pictures.add_argument("--radar", metavar="PATH", help="draw one radar with every card's outline")
    pictures.add_argument("--grid", metavar="PATH", help="draw small radars side by side, one a card")
    pictures.add_argument("--scatter", metavar="PATH", help="draw coherence against accuracy, one mark a card")
    pictures.add_argument("--family-dir", metavar="DIR", help="draw one radar for each family into this folder")
    pictures.add_argument(
        "--families",
        metavar="FILE",
        help="YAML with a list of model names a family, for --html, --grid and --family-dir",
    )
    pictures.add_argument(
        "--title", metavar="TEXT", help="the title of --html, --radar, --grid and --scatter (default: suite and level)"
    )


def pictures_wanted(args: argparse.Namespace) -> bool:
    """Whether an option draws. Raises :class:`InputError` for one that has nothing to draw."""
    drawing = [name for name in ("radar", "grid", "scatter", "family_dir") if getattr(args, name) is not None]
    if args.families is not None and not {"grid", "family_dir"} & set(drawing):
        raise InputError("--families goes with --grid or --family-dir", advice="Name one of them too")
    if args.title is not None and not {"radar", "grid", "scatter"} & set(drawing):
        raise InputError("--title goes with --radar, --grid or --scatter", advice="Name one of them too")
    if args.family_dir is not None and args.families is None:
        raise InputError("--family-dir needs to know the families", advice="Give --families FILE")
    return bool(drawing)


def write_pictures(cards: Sequence[Card], args: argparse.Namespace) -> None:
    """Draw, write, and say what was written. Raises :class:`InputError`, then with nothing written."""
    if args.level not in _LEVELS:
        raise InputError.unexpected(args.level, "--level dimension or group with a picture", Place(field="--level"))
    families = None if args.families is None else read_families(args.families)
    if args.family_dir is not None and Path(args.family_dir).is_file():
        raise InputError("this is a file, not a folder", place=Place(args.family_dir))
    made = [_file(path, svg, what) for path, svg, what in _drawn(cards, args, families)]
    if args.family_dir is not None:
        Path(args.family_dir).mkdir(parents=True, exist_ok=True)
    for target, data, said in made:
        if not target.parent.is_dir():
            raise InputError(f"there is no folder {shown(str(target.parent))}", place=Place(target))
        write_whole(target, data)
        print(representable(said, sys.stdout.encoding))  # noqa: T201


def _drawn(
    cards: Sequence[Card], args: argparse.Namespace, families: Families | None
) -> Iterator[tuple[Path, str, str]]:
    level, models = cast(RadarLevel, args.level), f"{len(cards)} model{'s' if len(cards) > 1 else ''}"
    if args.radar is not None:
        svg = radar_of_cards(cards, level=level, metric=args.metric, title=args.title)
        yield Path(args.radar), svg, f"radar of {models}"
    if args.grid is not None:
        svg = radar_grid_of_cards(cards, level=level, metric=args.metric, families=families, title=args.title)
        yield Path(args.grid), svg, f"small radars of {models}"
    if args.scatter is not None:
        title = args.title or "Coherence against accuracy"
        yield (
            Path(args.scatter),
            scatter_svg(card_points(cards), title=title),
            f"coherence against accuracy of {models}",
        )
    if args.family_dir is not None and families is not None:
        for name, svg in radars_by_family(cards, families, level=level, metric=args.metric).items():
            yield Path(args.family_dir) / file_name(name, ".svg"), svg, f"radar of family {shown(printable(name))}"


def _file(path: Path, svg: str, what: str) -> tuple[Path, bytes | str, str]:
    suffix = path.suffix.lower()
    if suffix not in (".svg", ".png"):
        raise InputError("a picture is an SVG or a PNG", place=Place(path), advice="Let its name end in .svg or .png")
    if path.is_dir():
        raise InputError("this is a directory, not a file", place=Place(path))
    if suffix == ".svg":
        return path, svg, f"{path}: {what}"
    drawn = png_of_svg(svg, str(path))
    lost = ", ".join(f"{character} (U+{ord(character):04X})" for character in drawn.missing[:5])
    return path, drawn.png, f"{path}: {what}" + (f"; no font here shows {lost}" if lost else "")

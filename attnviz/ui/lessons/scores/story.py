"""What the page "How alike are a query and a key?" says: its two tables, and who looks at whom."""

from markupsafe import Markup

from attnviz.core.scores import SCORE_FUNCTIONS
from attnviz.figures.labels import magnitude, number, quoted, shorten, subscript
from attnviz.lab.scores.comparison import Change, Changes, Compared
from attnviz.ui.kit.pictures.scene import Scene
from attnviz.ui.kit.text.markup import markdown, token
from attnviz.ui.lessons.scores.knobs import ScoresKnobs
from attnviz.ui.lessons.scores.pictures import Comparison, names


def favourites(made: Comparison) -> Markup:
    """The key that most functions choose for the query in focus, and how many different ones there are."""
    scene, best, at = made.scene, made.best, made.scene.focus.query
    query = token(scene.lesson.tokens.tokens[at], at, "query")
    counts = {key: best.count(key) for key in best if key is not None}
    if not counts:
        return scene.words.html(
            "scores.maps.empty",
            query=query,
        )
    most = max(counts, key=lambda key: counts[key])
    return scene.words.html(
        "scores.maps.text",
        query=query,
        key=token(scene.lesson.source.tokens[most], most, "key"),
        count=counts[most],
        all=len(best),
        different=len(counts),
        head=scene.focus.head + 1,
    )


def functions_table(made: Comparison) -> str:
    """What is known of each function, and what it says of the query in focus, as a Markdown table."""
    scene, words = made.scene, made.scene.words
    columns = ("function", "formula", "parameters", "favourite", "scale", "source")
    heads = [words(f"scores.table.{name}") for name in columns]
    lines = ["| " + " | ".join(heads) + " |", "|" + " --- |" * len(heads)]
    for title, found, key in zip(map(markdown, names(scene)), made.found, made.best, strict=True):
        known = SCORE_FUNCTIONS[found.name]
        formula = known.column_formula if scene.columns else known.row_formula
        cells = [
            f"**{title}**" if found.name == scene.lesson.settings.score else title,
            f"${formula}$" if formula else "–",
            _parameters(scene, found),
            _favourite(made, found, key),
            f"{found.scale:.4g}",
            known.source or "–",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _parameters(scene: Scene, found: Compared) -> str:
    """β = 5, or how many learnt numbers a head: W: 4 × 4 = 16; a dash for none."""
    d_k = scene.lesson.settings.d_k
    known = SCORE_FUNCTIONS[found.name].numbers
    numbers = [f"{markdown(p.letter or name)} = {found.parameters[name]:g}" for name, p in known.items()]
    count = SCORE_FUNCTIONS[found.name].count(d_k)
    learnt = [scene.words("scores.table.learnt", n=f"{count:,}")] if count else []
    return ", ".join([*numbers, *learnt]) or "–"


def _favourite(made: Comparison, found: Compared, key: int | None) -> str:
    if key is None:
        return "–"
    name = markdown(quoted(shorten(made.scene.lesson.source.tokens[key]))) + subscript(key)
    score, weight = float(found.scores[made.at, key]), float(found.weights[made.at, key])
    return made.scene.words("scores.table.numbers", key=name, score=number(score), weight=number(weight))


def changes_table(scene: Scene, found: list[Changes]) -> Markup:
    """One row a function, one column a change: the pair in focus before and after, and what holds for all pairs."""
    words, knobs = scene.words, scene.lesson.settings.of(ScoresKnobs)
    kinds = ("longer_query", "longer_both", "turned_both", "turned_query", "swapped")
    heads = [
        words.html(f"scores.change.{kind}", stretch=f"{knobs.stretch:g}", turn=knobs.turn) for kind in kinds
    ]
    top = Markup("").join(Markup("<th scope='col'>{}</th>").format(head) for head in heads)
    rows = Markup("").join(
        Markup("<tr><th scope='row'>{}</th>{}</tr>").format(
            title,
            Markup("").join(_change_cell(scene, getattr(changes_of, kind)) for kind in kinds),
        )
        for title, changes_of in zip(names(scene), found, strict=True)
    )
    table = Markup(
        '<div class="av-scroll"><table class="av-table av-tight"><tr><th></th>{}</tr>{}</table></div>'
    )
    return table.format(top, rows)


def _change_cell(scene: Scene, change: Change) -> Markup:
    words = scene.words
    factor = scene.lesson.settings.of(ScoresKnobs).stretch
    said = words.html(
        f"scores.change.verdict_{change.verdict}",
        stretch=f"{factor:g}",
        square=f"{factor**2:.4g}",
        largest=magnitude(change.largest),
    )
    numbers = Markup("{} → {}").format(number(change.before), number(change.after))
    strong = Markup("<b>{}</b>").format(said) if change.verdict != "other" else said
    return Markup('<td>{}<br><span class="av-muted">{}</span></td>').format(strong, numbers)

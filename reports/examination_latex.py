"""An examination as LaTeX: the verdict in a sentence, and the nearest comparisons in a table of booktabs."""

from __future__ import annotations

import math
from collections.abc import Callable

from reports.examination_words import ExaminationWords
from reports.pages.tightness_figure import shown
from theory.numerics.decimals import above, below, near

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\ensuremath{<}",
    ">": r"\ensuremath{>}",
    "≤": r"\ensuremath{\le}",
    "≥": r"\ensuremath{\ge}",
    "ε": r"\ensuremath{\varepsilon}",
    "δ": r"\ensuremath{\delta}",
    "α": r"\ensuremath{\alpha}",
    "é": r"\'e",
    **{letter: f"\\{letter}" for letter in "&%$#_"},
}


def latex_text(text: str) -> str:
    r"""Plain text with the letters that LaTeX reserves written out.

    >>> latex_text("my_filter & 100%")
    'my\\_filter \\& 100\\%'
    """
    return "".join(_SPECIAL.get(letter, letter) for letter in text)


def latex_number(value: float | None, rounded: Callable[[float, int], str] = near) -> str:
    r"""A number to four digits; a dash for None.

    >>> latex_number(1.5e-5), latex_number(0.25), latex_number(None)
    ('$1.5\\cdot 10^{-5}$', '$0.25$', '--')
    """
    if value is None or math.isnan(value):
        return "--"
    if math.isinf(value):
        return r"$\infty$" if value > 0 else r"$-\infty$"
    digits, _, exponent = rounded(value, 4).partition("e")
    return f"${digits}$" if not exponent else f"${digits}\\cdot 10^{{{int(exponent)}}}$"


def examination_latex(exam: ExaminationWords) -> str:
    """The sentence and the table; the table is left out where nothing was compared."""
    lines = [
        f"% filterproof: {exam.name}, seed {exam.seed}",
        rf"\textbf{{{latex_text(exam.name)}}}, promised {latex_text(exam.promised)}: "
        rf"{latex_text(exam.conclusion)}.",
    ]
    if exam.witness is not None:
        lines.append(rf"Witness: {latex_text(str(exam.witness))}.")
    if exam.play:
        played = [latex_text(line) + r"\\" for line in exam.play]
        lines += ["", r"\begin{quote}\small", *played, r"\end{quote}"]
    rows = shown(exam.tightness)
    if not rows:
        return "\n".join(lines) + "\n"
    lines += [
        "",
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{latex_text(exam.name)}: best attack found, certified worst case, and promise.}}",
        r"\begin{tabular}{llrrrl}",
        r"\toprule",
        r"Menu & Measure & Attack & Worst case & Promise & Evidence \\",
        r"\midrule",
    ]
    for row in rows:
        order = rf"H_{{e^\varepsilon}},\ \varepsilon={row.measure.at:g}"
        if row.measure.kind == "renyi":
            order = rf"D_\alpha,\ \alpha={row.measure.at:g}"
        cells = (
            latex_text(row.menu),
            f"${order}$, {row.measure.direction}",
            *(latex_number(row.attack, below), latex_number(row.worst, above), latex_number(row.promised)),
            row.evidence.name.lower(),
        )
        line = " & ".join(cells) + r" \\"
        if line not in lines:  # several plays of one menu may say the same to four digits
            lines.append(line)
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", r"\end{table}"]) + "\n"

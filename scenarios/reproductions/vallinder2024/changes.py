"""What of the donor reproduction's rules and sizes was changed when results were known, and when.

A rule that is changed after its result invites the result that one wants: so each change stands
here, with what the rule that was left had said, and on the page of the reproduction. Rules about
models are not among them: no model has been asked.
"""

from __future__ import annotations

CHANGES = (
    "The following was changed on 2026-11-21, after results were known. Who withstands a free "
    "rider was told by nine of ten runs that end with more than half of all chances to give "
    "taken, and held, for image scoring (97% of runs at q b = 2 c) and for each of the leading "
    "eight (all runs). The same rule held with selection switched off, too, where one mutant of "
    "twelve is lost in eleven of twelve runs. So counts are now held against that chance, with a "
    "control.",
    "Who falls to a free rider was told likewise by nine of ten runs that end with a tenth taken "
    "at most, and held (94% at q b = c / 2).",
    "Drift of those who always give is at its fourth rule. The last generation against the first: "
    "not reproduced. Giving surely above chance: by less than a tenth, so not reproduced. Giving "
    "on a scale from either sort alone, after 60 generations and then 40: 0.69 and 0.71, "
    "reproduced; but the scale takes giving for linear in the mixture, which it is not: in truth "
    "57% of runs had ended with givers alone, 25% with scorers alone. Now the sorts themselves "
    "are counted, after 100 generations, in 100 runs in place of 200.",
    "Errors of perception were judged with a free rider there, which took over some runs; all "
    "eight held, from 0.91 to 0.44 (L6) up to 0.77 (L1, L3). Now nobody else is there.",
    "Final resources were compared by their means, which few runs make. Richer after ten "
    "generations was then reproduced with a multiplier of 3 (2,056 to 74,371 units, though 10% of "
    "runs rose), not told with 2, not reproduced with 1.5. Now logarithms are compared; so they "
    "are for punishment, and for protocols, which were told by donation alone: neither had been "
    "shown.",
    "Selection of generous rules was told by the difference between survivors and others over its "
    "mean (-0.94: reversed), which has no value where nobody gives. Now by what selection makes "
    "of the mean.",
)

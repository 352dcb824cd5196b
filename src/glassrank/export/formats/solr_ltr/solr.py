"""Solr's learning to rank: features and a model to upload, of the kind that holds the model best."""

from glassrank.core.checks import DataError
from glassrank.core.setting import setting
from glassrank.export.export_form import CurveTerm, ExportModel, LevelTerm, LineTerm, StepTerm
from glassrank.export.formats.contract import Request, Written
from glassrank.export.formats.solr_ltr.solr_features import definition_of
from glassrank.export.formats.solr_ltr.solr_hidden_layer import hidden_layer_model
from glassrank.export.formats.solr_ltr.solr_linear import linear_model
from glassrank.export.formats.solr_ltr.solr_model import SolrModel
from glassrank.export.formats.solr_ltr.solr_network import network_model
from glassrank.export.formats.solr_ltr.solr_trees import tree_model
from glassrank.export.formats.unaccepted_values import unaccepted_notes
from glassrank.export.names import missing_column

KINDS = ("linear", "network", "trees")
MAX_NETWORK = 200_000  # numbers in its matrices


def write(request: Request) -> Written:
    """Write features.json and model.json."""
    kind, model = _chosen(request)
    return Written(
        model.files(request.name),
        model.usage(request.name),
        kind,
        model.table_error,
        model.rounding,
        model.costs,
        model.constant_included,
        _stand_ins(request, model),
        _notes(request),
    )


def _stand_ins(request: Request, model: SolrModel) -> dict[str, float]:
    """Return the defaults that the export itself has chosen for missing values, unless a filter finds these."""
    names = {one.name for one in model.inputs}
    accepted = {request.model.name_of(term) for term in request.model.terms if term.missing is not None}
    return {
        feature.name: float(one.params["defaultValue"])
        for feature in request.model.features
        for one in model.inputs
        if one.name == feature.name in accepted
        and missing_column(feature.name) not in names
        and not definition_of(request, feature).has_default
    }


def _chosen(request: Request) -> tuple[str, SolrModel]:
    """Return the asked kind, or the first that holds the model within its tolerance."""
    possible = _possible_kinds(request.model)
    if request.kind is not None:
        if request.kind not in possible:
            raise DataError(
                f"Solr's kind {request.kind!r} cannot hold this model: expected {' or '.join(map(repr, possible))}.",
                parameter="kind",
                expected=possible,
                got=request.kind,
                remedy=f"Omit {setting('kind')}.",
            )
        return request.kind, _made(request, request.kind)
    found: list[tuple[str, SolrModel]] = []
    refusals: list[DataError] = []
    for kind in possible:
        try:
            found.append((kind, _made(request, kind)))
        except DataError as refusal:
            refusals.append(refusal)
            continue
        if found[-1][1].rounding + found[-1][1].table_error <= request.model.tolerance:
            return found[-1]
    if not found:
        raise refusals[0]
    return min(found, key=lambda one: one[1].rounding + one[1].table_error)


def _possible_kinds(model: ExportModel) -> tuple[str, ...]:
    if model.layer is not None:
        return ("network",)
    if not model.terms:  # networks and trees need a feature
        return ("linear",)
    if all(isinstance(term, (LineTerm, LevelTerm)) for term in model.terms):
        return KINDS
    if any(isinstance(term, StepTerm) for term in model.terms):
        return ("trees",)
    return ("network", "trees") if _network_size(model) <= MAX_NETWORK else ("trees", "network")


def _network_size(model: ExportModel) -> int:
    """Return how many numbers the matrices of a network contain."""
    sizes = [len(term.knots) + 1 for term in model.terms if isinstance(term, CurveTerm)]
    levels = [len(term.effects) for term in model.terms if isinstance(term, LevelTerm)]
    units = sum(sizes) + sum(levels) + 2 * (len(model.terms) - len(sizes) - len(levels))
    inputs = sum(levels) + 2 * len(model.terms)
    return units * (inputs + len(model.terms))


def _made(request: Request, kind: str) -> SolrModel:
    if request.model.layer is not None:
        return hidden_layer_model(request, request.model.layer)
    return {"linear": linear_model, "network": network_model, "trees": tree_model}[kind](request)


def _notes(request: Request) -> tuple[str, ...]:
    model = request.model
    with_default = {one.name for one in model.features if definition_of(request, one).has_default}
    categories = {model.name_of(term) for term in model.terms if isinstance(term, LevelTerm)}
    notes = unaccepted_notes(
        model,
        missing="Solr scores a document without a value as if it were 0.",
        level="Solr takes another level as a missing value.",
        handled=with_default | categories,
    )
    if any(isinstance(term, StepTerm) for term in model.terms):
        notes += ("Solr compares values with thresholds in single precision.",)
    return notes

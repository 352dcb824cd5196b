"""Trees in XGBoost's dump as a model file that XGBoost loads."""

import json

ROOT_PARENT = 2147483647


def saved_model(dumped, columns):
    """Return the bytes of a model file whose trees are those of a dump."""
    trees = [_tree(number, root, columns) for number, root in enumerate(dumped)]
    model = {
        "gbtree_model_param": {"num_parallel_tree": "1", "num_trees": str(len(trees))},
        "iteration_indptr": list(range(len(trees) + 1)),
        "tree_info": [0] * len(trees),
        "trees": trees,
    }
    learner = {
        "attributes": {},
        "feature_names": columns,
        "feature_types": ["float"] * len(columns),
        "gradient_booster": {"model": model, "name": "gbtree"},
        "learner_model_param": {
            "base_score": "0",
            "boost_from_average": "1",
            "num_class": "0",
            "num_feature": str(len(columns)),
            "num_target": "1",
        },
        "objective": {"name": "reg:squarederror", "reg_loss_param": {"scale_pos_weight": "1"}},
    }
    return bytearray(json.dumps({"learner": learner, "version": [2, 1, 0]}).encode())


def _tree(number, root, columns):
    nodes = {}

    def collect(node, parent):
        nodes[node["nodeid"]] = (node, parent)
        for child in node.get("children", []):
            collect(child, node["nodeid"])

    collect(root, ROOT_PARENT)
    ordered = [nodes[place] for place in range(len(nodes))]
    values = [node.get("leaf", node.get("split_condition")) for node, _ in ordered]
    return {
        "base_weights": values,
        "categories": [],
        "categories_nodes": [],
        "categories_segments": [],
        "categories_sizes": [],
        "default_left": [0] * len(ordered),
        "id": number,
        "left_children": [node.get("yes", -1) for node, _ in ordered],
        "loss_changes": [0.0] * len(ordered),
        "parents": [parent for _, parent in ordered],
        "right_children": [node.get("no", -1) for node, _ in ordered],
        "split_conditions": values,
        "split_indices": [columns.index(node["split"]) if "split" in node else 0 for node, _ in ordered],
        "split_type": [0] * len(ordered),
        "sum_hessian": [0.0] * len(ordered),
        "tree_param": {
            "num_deleted": "0",
            "num_feature": str(len(columns)),
            "num_nodes": str(len(ordered)),
            "size_leaf_vector": "1",
        },
    }

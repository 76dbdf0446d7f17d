//! A walk over the nodes of a syntax tree, however deep it is.
//! Knows no grammar.

use tree_sitter::Node;

/// Returns whether `test` holds for a node; it gets each with its depth, parents before children, until it does.
pub(super) fn any_node(root: Node<'_>, test: impl Fn(Node<'_>, u32) -> bool) -> bool {
    let mut cursor = root.walk();
    loop {
        if test(cursor.node(), cursor.depth()) {
            return true;
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return false;
            }
        }
    }
}

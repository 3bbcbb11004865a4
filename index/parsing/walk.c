/* Source -> the nodes of its syntax tree, for index/parsing/columns.py: what `_parsed` and `_collected` do there, without an object of
 * Python for every node. deploy/compile.py builds it with the source of the tree-sitter release that is installed; where it is not
 * there, or gives up, Python does the same.
 *
 *     walked(data, grammar, opened, steps, most_nodes, quotes) -> bytes | None
 *
 * data      bytes: the source
 * grammar   capsule "tree_sitter.Language"
 * opened    bytes, one for each number that a node type may have: 0 the children of such nodes are left out, 1 they are not,
 *           2 they are not if the node's first byte is none of `quotes`
 * steps     of the parser, in hundreds: see MOST_STEPS in columns.py
 *
 * Of every node i32[3]: start, end, type; in preorder, the root first. None: the source has errors, or more nodes or steps than allowed.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdbool.h>
#include <string.h>
#include <tree_sitter/api.h>

enum { LEFT, OPENED, STRING };

typedef struct {
    const char *data;
    uint32_t length;
    const char *quotes;
    size_t many; /* of them */
} Source;

typedef struct {
    int32_t *values;
    size_t count, room; /* of nodes */
} Nodes;

static TSParser *idle; /* a parser that is in no one's hands; the lock of the interpreter guards it */

static const char *rest_of(void *payload, uint32_t byte, TSPoint position, uint32_t *size) {
    const Source *source = payload;
    (void)position;
    *size = byte < source->length ? source->length - byte : 0;
    return source->data + (byte < source->length ? byte : source->length);
}

static bool is_enough(TSParseState *state) {
    long long *left = state->payload;
    *left -= 1;
    return *left < 0;
}

static bool add(Nodes *nodes, uint32_t start, uint32_t end, uint32_t type) {
    if (nodes->count == nodes->room) {
        size_t room = nodes->room ? 2 * nodes->room : 4096;
        int32_t *values = realloc(nodes->values, room * 3 * sizeof(int32_t));
        if (values == NULL) return false;
        nodes->values = values, nodes->room = room;
    }
    int32_t *at = nodes->values + 3 * nodes->count++;
    at[0] = (int32_t)start, at[1] = (int32_t)end, at[2] = (int32_t)type;
    return true;
}

/* Whether all could be told. Nodes without a name have no children that count. */
static bool collect(TSNode root, const Source *source, const unsigned char *opened, size_t most, Nodes *nodes) {
    TSTreeCursor cursor = ts_tree_cursor_new(root);
    uint32_t depth = 0;
    bool whole = true;
    for (;;) {
        TSNode node = ts_tree_cursor_current_node(&cursor);
        bool opens = false;
        if (depth == 0 || ts_node_is_named(node)) {
            uint32_t start = ts_node_start_byte(node);
            TSSymbol type = ts_node_symbol(node);
            unsigned char what = opened[type];
            whole = nodes->count < most && add(nodes, start, ts_node_end_byte(node), type);
            if (!whole) break;
            opens = what == OPENED
                || (what == STRING && start < source->length && memchr(source->quotes, source->data[start], source->many) == NULL);
        }
        if (opens && ts_tree_cursor_goto_first_child(&cursor)) {
            depth++;
            continue;
        }
        while (depth > 0 && !ts_tree_cursor_goto_next_sibling(&cursor)) {
            ts_tree_cursor_goto_parent(&cursor);
            depth--;
        }
        if (depth == 0) break;
    }
    ts_tree_cursor_delete(&cursor);
    return whole;
}

static PyObject *walked(PyObject *self, PyObject *args) {
    Source source;
    Py_ssize_t length, types, most, many;
    PyObject *capsule;
    const unsigned char *opened;
    long long steps;
    (void)self;
    if (!PyArg_ParseTuple(args, "y#Oy#Lny#", &source.data, &length, &capsule, &opened, &types, &steps, &most, &source.quotes, &many))
        return NULL;
    const TSLanguage *language = PyCapsule_GetPointer(capsule, "tree_sitter.Language");
    if (language == NULL) return NULL;
    if (types <= UINT16_MAX || length > INT32_MAX) {
        PyErr_SetString(PyExc_ValueError, "a table of all types, and no more than 2 GiB of source");
        return NULL;
    }
    source.length = (uint32_t)length;
    source.many = (size_t)many;
    TSParser *parser = idle != NULL ? idle : ts_parser_new();
    idle = NULL;
    if (!ts_parser_set_language(parser, language)) {
        ts_parser_delete(parser);
        Py_RETURN_NONE;
    }
    Nodes nodes = {NULL, 0, 0};
    bool whole = false;
    Py_BEGIN_ALLOW_THREADS
    TSInput input = {.payload = &source, .read = rest_of, .encoding = TSInputEncodingUTF8, .decode = NULL};
    TSParseOptions options = {.payload = &steps, .progress_callback = is_enough};
    TSTree *tree = ts_parser_parse_with_options(parser, NULL, input, options);
    if (tree != NULL) {
        TSNode root = ts_tree_root_node(tree);
        whole = !ts_node_has_error(root) && collect(root, &source, opened, (size_t)most, &nodes);
        ts_tree_delete(tree);
    }
    ts_parser_reset(parser);
    Py_END_ALLOW_THREADS
    if (idle == NULL) {
        idle = parser;
    } else {
        ts_parser_delete(parser);
    }
    Py_ssize_t size = (Py_ssize_t)(nodes.count * 3 * sizeof(int32_t));
    PyObject *found = whole ? PyBytes_FromStringAndSize((const char *)nodes.values, size) : Py_NewRef(Py_None);
    free(nodes.values);
    return found;
}

static PyMethodDef methods[] = {{"walked", walked, METH_VARARGS, "Source -> the nodes of its syntax tree."}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "walk", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_walk(void) {
    PyObject *made = PyModule_Create(&module);
    if (made != NULL && PyModule_AddStringConstant(made, "RELEASE", RELEASE) < 0) Py_CLEAR(made);
    return made;
}

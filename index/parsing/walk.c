/* Source -> the nodes of its syntax tree, and the texts of some of them, for index/parsing/columns.py: what `_parsed` and `_collected` do
 * there without an object of Python for every node, and `_numbered` without one for every text. deploy/compile.py builds it with the
 * source of the tree-sitter release that is installed; where it is not there, or gives up, Python does the same.
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
 *
 *     numbered(data, starts, ends) -> (bytes, list[str]) | None
 *
 * starts, ends   i32, in the order in which the texts are to be numbered
 *
 * Of every text i32, which of the distinct ones it is; and these, in the order in which they come first. None: the texts were chosen so
 * that they get into each other's way in the table, which would take time in the square of their number.
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

enum { MOST_LOOKS = 16, SOME_LOOKS = 1024 }; /* at places of the table for each text, and besides; code needs less than two */

static uint64_t hashed(const char *text, size_t length) { /* FNV-1a, 64 bits */
    uint64_t found = 0xcbf29ce484222325u;
    for (size_t at = 0; at < length; at++) found = (found ^ (unsigned char)text[at]) * 0x100000001b3u;
    return found ^ found >> 32;
}

/* As `_decoded` in columns.py: what is no utf-8 is escaped, and so are NULs, which stand between names where they are stored. */
static PyObject *decoded(const char *text, size_t length) {
    PyObject *found = PyUnicode_DecodeUTF8(text, (Py_ssize_t)length, "backslashreplace");
    if (found == NULL || memchr(text, 0, length) == NULL) return found;
    PyObject *escaped = PyObject_CallMethod(found, "replace", "s#s", "\0", (Py_ssize_t)1, "\\0");
    Py_DECREF(found);
    return escaped;
}

static PyObject *numbered(PyObject *self, PyObject *args) {
    const char *data;
    const char *starts_of, *ends_of;
    Py_ssize_t length, size, same;
    (void)self;
    if (!PyArg_ParseTuple(args, "y#y#y#", &data, &length, &starts_of, &size, &ends_of, &same)) return NULL;
    size_t count = (size_t)size / sizeof(int32_t), room = 64, distinct = 0, looks = MOST_LOOKS * count + SOME_LOOKS;
    while (room < 2 * count) room *= 2;
    const int32_t *starts = (const int32_t *)starts_of, *ends = (const int32_t *)ends_of;
    int32_t *table = malloc(room * sizeof(int32_t)); /* row of a distinct text, -1 where there is none */
    int32_t *first = malloc((count + 1) * sizeof(int32_t)); /* of each distinct text, where it comes first */
    PyObject *rows = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(count * sizeof(int32_t))), *texts = NULL;
    if (table == NULL || first == NULL || rows == NULL || size != same) {
        if (!PyErr_Occurred()) PyErr_SetString(size != same ? PyExc_ValueError : PyExc_MemoryError, "a start and an end of each text");
        goto failed;
    }
    memset(table, 0xff, room * sizeof(int32_t));
    int32_t *row_of = (int32_t *)PyBytes_AS_STRING(rows);
    for (size_t at = 0; at < count; at++) {
        if (starts[at] < 0 || ends[at] < starts[at] || ends[at] > length) {
            PyErr_SetString(PyExc_ValueError, "a text outside the source");
            goto failed;
        }
        const char *text = data + starts[at];
        size_t long_ = (size_t)(ends[at] - starts[at]), place = hashed(text, long_) & (room - 1);
        for (; table[place] >= 0; place = (place + 1) & (room - 1)) {
            int32_t other = first[table[place]];
            if ((size_t)(ends[other] - starts[other]) == long_ && memcmp(data + starts[other], text, long_) == 0) break;
            if (looks-- == 0) {
                texts = Py_NewRef(Py_None);
                goto failed;
            }
        }
        if (table[place] < 0) first[distinct] = (int32_t)at, table[place] = (int32_t)distinct++;
        row_of[at] = table[place];
    }
    texts = PyList_New((Py_ssize_t)distinct);
    for (size_t row = 0; texts != NULL && row < distinct; row++) {
        PyObject *text = decoded(data + starts[first[row]], (size_t)(ends[first[row]] - starts[first[row]]));
        if (text == NULL) {
            Py_CLEAR(texts);
        } else {
            PyList_SET_ITEM(texts, (Py_ssize_t)row, text);
        }
    }
    if (texts == NULL) goto failed;
    free(table), free(first);
    return Py_BuildValue("(NN)", rows, texts);
failed: /* or given up, where `texts` is None */
    free(table), free(first);
    Py_XDECREF(rows);
    return texts;
}

static PyMethodDef methods[] = {
    {"walked", walked, METH_VARARGS, "Source -> the nodes of its syntax tree."},
    {"numbered", numbered, METH_VARARGS, "Source and places of texts in it -> the distinct texts, and which of them stands where."},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "walk", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_walk(void) {
    PyObject *made = PyModule_Create(&module);
    if (made != NULL && PyModule_AddStringConstant(made, "RELEASE", RELEASE) < 0) Py_CLEAR(made);
    return made;
}

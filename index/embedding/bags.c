/* Chunks of text -> their vectors, for index/embedding/static.py: what `_vectors` and `_bits` do there with arrays for many chunks at once,
 * chunk by chunk, in integers and with the same result. deploy/compile.py builds it; where it is not there, or gives up, numpy does the same.
 *
 *     told(blobs, keys, rows, secret) -> (words, borders, new_keys, new_words) | None
 *
 * blobs   list of (data, starts, ends, names, path): bytes, i32 and i32 of its chunks, list[str] and bytes, as in BlobChunks
 * keys    u64, a power of two of them: the vocabulary by open addressing, 0 where nothing is; rows   i32: the row of each
 * secret  u64, odd: what decides where a word is looked for, as `_home` does
 *
 * Of every word that says something i32, its row, or of one that is not in the vocabulary -2 less its number among the new ones; of every
 * chunk's body, name, owner and path i64, where its words end; u64 and list[bytes] of the new ones, in the order of the text, in lower case.
 * None: words were chosen so that they get into each other's way in the table, which would take time in the square of their number.
 *
 *     summed(words, borders, learned, weights, fields, counts, vectors, shift, most) -> bytes
 *
 * learned   i32, the row of each new word; -1: it says nothing
 * weights   i64 of each row; fields   i64[4]; counts   i64, what so many of the same word count; vectors   i8[rows, 256]
 * shift     of the product of the three; most   the sum of a chunk's weights stays below it
 *
 * Of every chunk i8[256], the sum of its words' vectors, scaled so that the largest value is 127.
 *
 *     turned(vectors, signs) -> bytes
 *
 * i8[n, 256], i16[256, 4] -> u8[n, 128]: see `_bits`.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdbool.h>
#include <string.h>

enum { DIMENSIONS = 256, FIELDS = 4, MATRICES = 4, TURNED_TOGETHER = 16 };
enum { LONGEST = 40 };                          /* as in index/vectors/subtokens.py */
enum { OTHER, LOWER, UPPER, DIGIT };
enum { TOGETHER = 64, AHEAD = 4 };              /* words, and vectors, that are on their way from the memory before they are needed */
enum { MOST_LOOKS = 16, SOME_LOOKS = 1 << 12 }; /* at places of the tables for each word, and besides; texts need less than two */
#define HASHED (UINT64_C(1) << 63)

static unsigned char class_of[256];

typedef struct {
    void *values;
    size_t count, room;
} List;

typedef struct {
    const uint64_t *keys;
    const int32_t *rows;
    size_t mask;
    int shift;
    uint64_t secret;
    int32_t *new_at; /* number of a new word, counted from 1; 0: nothing is here */
    size_t new_mask;
    int new_shift;
    List words, borders, new_keys;
    PyObject *new_words;
    long long looks; /* that are left */
} Reader;

typedef struct {
    uint64_t key;
    const unsigned char *letters;
    size_t length;
} Word;

static inline bool make_room(List *list, size_t width) {
    if (list->count < list->room) return true;
    size_t room = list->room ? 2 * list->room : 1 << 12;
    void *values = realloc(list->values, room * width);
    if (values == NULL) {
        PyErr_NoMemory();
        return false;
    }
    list->values = values, list->room = room;
    return true;
}

static inline uint64_t lane(const unsigned char *from, size_t length, const unsigned char *end) { /* at most eight bytes, little-endian */
    uint64_t found = 0;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (end - from >= 8) {
        memcpy(&found, from, 8);
        if (length < 8) found &= (UINT64_C(1) << 8 * length) - 1;
        return found;
    }
#endif
    for (size_t at = 0; at < length && at < 8; at++) found |= (uint64_t)from[at] << 8 * at;
    return found;
}

/* Letters and digits in lower case: capitals are 0x41 to 0x5a, and of the others only digits lack the bit that makes them small. */
static inline uint64_t folded(uint64_t letters) {
    return letters | (letters & UINT64_C(0x4040404040404040)) >> 1;
}

static uint64_t key_of(const unsigned char *word, size_t length, const unsigned char *end) {
    uint64_t key = folded(lane(word, length, end));
    for (size_t at = 8; at < length; at += 8) {
        key = (key ^ key >> 29) * UINT64_C(0xBF58476D1CE4E5B9) ^ folded(lane(word + at, length - at, end));
        key = (key ^ key >> 32) * UINT64_C(0x94D049BB133111EB);
        key = (key ^ key >> 31) | HASHED;
    }
    return key;
}

static inline size_t home(uint64_t key, uint64_t secret, int shift) {
    uint64_t turned = key * secret;
    return (size_t)((turned ^ turned >> 32) * UINT64_C(0x9E3779B97F4A7C15) >> shift);
}

static bool more_new(Reader *reader) {
    size_t room = 2 * (reader->new_mask + 1);
    int32_t *new_at = calloc(room, sizeof(int32_t));
    if (new_at == NULL) {
        PyErr_NoMemory();
        return false;
    }
    const uint64_t *keys = reader->new_keys.values;
    reader->new_mask = room - 1, reader->new_shift--;
    for (size_t number = 0; number < reader->new_keys.count; number++) {
        size_t at = home(keys[number], reader->secret, reader->new_shift);
        for (; new_at[at]; at = (at + 1) & reader->new_mask) reader->looks--;
        new_at[at] = (int32_t)number + 1;
    }
    free(reader->new_at);
    reader->new_at = new_at;
    return true;
}

/* A word that is not in the vocabulary -> what stands for it. */
static bool add_new(Reader *reader, uint64_t key, const unsigned char *word, size_t length, int32_t *found) {
    size_t at = home(key, reader->secret, reader->new_shift);
    const uint64_t *keys = reader->new_keys.values;
    for (; reader->new_at[at] && keys[reader->new_at[at] - 1] != key; at = (at + 1) & reader->new_mask)
        if (--reader->looks < 0) return false;
    if (!reader->new_at[at]) {
        if (!make_room(&reader->new_keys, sizeof(uint64_t))) return false;
        ((uint64_t *)reader->new_keys.values)[reader->new_keys.count++] = key;
        reader->new_at[at] = (int32_t)reader->new_keys.count;
        *found = -1 - (int32_t)reader->new_keys.count;
        char letters[LONGEST];
        for (size_t one = 0; one < length; one++) letters[one] = (char)(class_of[word[one]] == UPPER ? word[one] + 32 : word[one]);
        PyObject *text = PyBytes_FromStringAndSize(letters, (Py_ssize_t)length);
        bool fits = text != NULL && PyList_Append(reader->new_words, text) == 0;
        Py_XDECREF(text);
        return fits && (2 * reader->new_keys.count <= reader->new_mask || more_new(reader));
    }
    *found = -1 - reader->new_at[at];
    return true;
}

/* Some words that follow each other -> what stands for them. Whether all could be told: it could not where an exception is set, or where too
 * many looks were needed. */
static bool look_up(Reader *reader, const Word *words, size_t count) {
    for (size_t one = 0; one < count; one++) {
        const Word *word = &words[one];
        reader->looks += MOST_LOOKS;
        size_t place = home(word->key, reader->secret, reader->shift);
        for (; reader->keys[place] && reader->keys[place] != word->key; place = (place + 1) & reader->mask)
            if (--reader->looks < 0) return false;
        int32_t row = reader->rows[place];
        if (!reader->keys[place]) {
            if (!add_new(reader, word->key, word->letters, word->length, &row)) return false;
        } else if (row < 0) {
            continue;
        }
        if (!make_room(&reader->words, sizeof(int32_t))) return false;
        ((int32_t *)reader->words.values)[reader->words.count++] = row;
    }
    return true;
}

/* The same of a whole text. */
static bool read_words(Reader *reader, const unsigned char *data, size_t size, const unsigned char *end) {
    Word words[TOGETHER];
    size_t count = 0;
    for (size_t at = 0; at < size;) {
        unsigned char kind = class_of[data[at]];
        size_t start = at++;
        if (kind == OTHER) continue;
        while (at < size && class_of[data[at]] == kind) at++;
        if (kind == UPPER && at < size && class_of[data[at]] == LOWER) {
            if (at - start > 1) { /* HTTPServer: Server starts at its capital */
                at--;
            } else {
                while (at < size && class_of[data[at]] == LOWER) at++;
            }
        }
        size_t length = at - start < LONGEST ? at - start : LONGEST;
        if (length == 1 && kind != DIGIT) continue; /* a single letter says nothing, a single digit does */
        uint64_t key = key_of(data + start, length, end);
        size_t place = home(key, reader->secret, reader->shift);
        __builtin_prefetch(&reader->keys[place]), __builtin_prefetch(&reader->rows[place]);
        words[count++] = (Word){key, data + start, length};
        if (count == TOGETHER) {
            if (!look_up(reader, words, count)) return false;
            count = 0;
        }
    }
    if (!look_up(reader, words, count) || !make_room(&reader->borders, sizeof(int64_t))) return false;
    ((int64_t *)reader->borders.values)[reader->borders.count++] = (int64_t)reader->words.count;
    return true;
}

static bool read_name(Reader *reader, PyObject *name) {
    PyObject *made = PyUnicode_AsEncodedString(name, "utf-8", "replace");
    if (made == NULL) return false;
    const char *text = PyBytes_AS_STRING(made);
    size_t size = (size_t)PyBytes_GET_SIZE(made), owner = size;
    while (owner > 0 && text[owner - 1] != '.') owner--;
    const unsigned char *letters = (const unsigned char *)text, *end = letters + size;
    bool whole = read_words(reader, letters + owner, size - owner, end) && read_words(reader, letters, owner ? owner - 1 : 0, end);
    Py_DECREF(made);
    return whole;
}

static bool read_blob(Reader *reader, PyObject *blob) {
    PyObject *names;
    const char *data, *path, *starts_of, *ends_of;
    Py_ssize_t size, path_size, starts_size, ends_size;
    if (!PyTuple_Check(blob)) {
        PyErr_SetString(PyExc_TypeError, "a blob is a tuple");
        return false;
    }
    if (!PyArg_ParseTuple(blob, "y#y#y#O!y#", &data, &size, &starts_of, &starts_size, &ends_of, &ends_size, &PyList_Type, &names, &path,
                          &path_size))
        return false;
    Py_ssize_t count = PyList_GET_SIZE(names);
    if (starts_size != count * (Py_ssize_t)sizeof(int32_t) || ends_size != starts_size) {
        PyErr_SetString(PyExc_ValueError, "a start, an end and a name of each chunk");
        return false;
    }
    const unsigned char *letters = (const unsigned char *)data, *way = (const unsigned char *)path;
    const int32_t *starts = (const int32_t *)starts_of, *ends = (const int32_t *)ends_of;
    for (Py_ssize_t at = 0; at < count; at++) {
        Py_ssize_t end = ends[at] < size ? ends[at] : size, start = starts[at] < end ? starts[at] : end; /* as slices do */
        if (start < 0) {
            PyErr_SetString(PyExc_ValueError, "a chunk outside its blob");
            return false;
        }
        if (!read_words(reader, letters + start, (size_t)(end - start), letters + size) || !read_name(reader, PyList_GET_ITEM(names, at))
            || !read_words(reader, way, (size_t)path_size, way + path_size))
            return false;
    }
    return true;
}

static PyObject *bytes_of(const List *list, size_t width) {
    return PyBytes_FromStringAndSize(list->count ? list->values : "", (Py_ssize_t)(list->count * width));
}

static PyObject *told(PyObject *self, PyObject *args) {
    PyObject *blobs, *found = NULL;
    const char *keys, *rows;
    Py_ssize_t keys_size, rows_size;
    unsigned long long secret;
    (void)self;
    if (!PyArg_ParseTuple(args, "O!y#y#K", &PyList_Type, &blobs, &keys, &keys_size, &rows, &rows_size, &secret)) return NULL;
    size_t room = (size_t)keys_size / sizeof(uint64_t);
    if (room < 2 || (room & (room - 1)) || rows_size != (Py_ssize_t)(room * sizeof(int32_t))) {
        PyErr_SetString(PyExc_ValueError, "a power of two of keys, and a row of each");
        return NULL;
    }
    Reader reader = {.keys = (const uint64_t *)keys, .rows = (const int32_t *)rows, .mask = room - 1, .shift = 65, .secret = secret};
    reader.looks = SOME_LOOKS;
    for (size_t left = room; left; left >>= 1) reader.shift--;
    reader.new_mask = (1 << 9) - 1, reader.new_shift = 64 - 9;
    reader.new_words = PyList_New(0);
    bool whole = reader.new_words != NULL && more_new(&reader);
    for (Py_ssize_t at = 0; whole && at < PyList_GET_SIZE(blobs); at++) whole = read_blob(&reader, PyList_GET_ITEM(blobs, at));
    if (whole)
        found = Py_BuildValue("(NNNO)", bytes_of(&reader.words, sizeof(int32_t)), bytes_of(&reader.borders, sizeof(int64_t)),
                              bytes_of(&reader.new_keys, sizeof(uint64_t)), reader.new_words);
    free(reader.words.values), free(reader.borders.values), free(reader.new_keys.values), free(reader.new_at);
    Py_XDECREF(reader.new_words);
    if (found == NULL && !PyErr_Occurred()) Py_RETURN_NONE;
    return found;
}

typedef struct {
    int32_t row;
    int64_t weight;
} Weighed;

/* Twice as fast where the processor has instructions that not every x86-64 has: which of the two is run is settled when this is loaded. */
#if defined(__x86_64__) && defined(__GLIBC__)
#define WITH_AVX2 __attribute__((target_clones("avx2", "default")))
#else
#define WITH_AVX2
#endif

WITH_AVX2 static void add_up(const Weighed *words, size_t count, const int8_t *vectors, int32_t *sums) {
    memset(sums, 0, DIMENSIONS * sizeof(int32_t));
    for (size_t at = 0; at < count; at++) {
        const int8_t *vector = vectors + (size_t)words[at].row * DIMENSIONS;
        if (at + AHEAD < count) {
            const int8_t *next = vectors + (size_t)words[at + AHEAD].row * DIMENSIONS;
            for (int one = 0; one < DIMENSIONS; one += 64) __builtin_prefetch(next + one);
        }
        int32_t weight = (int32_t)words[at].weight;
        for (int one = 0; one < DIMENSIONS; one++) sums[one] += weight * vector[one];
    }
}

static void scaled(const int32_t *sums, int8_t *out) {
    int32_t largest = 1;
    for (int one = 0; one < DIMENSIONS; one++) {
        int32_t size = sums[one] < 0 ? -sums[one] : sums[one];
        if (size > largest) largest = size;
    }
    const float whole = 12582912.0f; /* 3 x 2^22: what is added to it is rounded to a whole number, half to even */
    for (int one = 0; one < DIMENSIONS; one++) {
        float value = (float)sums[one] * 127.0f;
        value = value / (float)largest;
        out[one] = (int8_t)(int32_t)((value + whole) - whole);
    }
}

static PyObject *summed(PyObject *self, PyObject *args) {
    const char *words_of, *borders_of, *learned_of, *weights_of, *fields_of, *counts_of, *vectors;
    Py_ssize_t words_size, borders_size, learned_size, weights_size, fields_size, counts_size, vectors_size;
    int shift;
    long long most;
    (void)self;
    if (!PyArg_ParseTuple(args, "y#y#y#y#y#y#y#iL", &words_of, &words_size, &borders_of, &borders_size, &learned_of, &learned_size, &weights_of,
                          &weights_size, &fields_of, &fields_size, &counts_of, &counts_size, &vectors, &vectors_size, &shift, &most))
        return NULL;
    const int32_t *words = (const int32_t *)words_of, *learned = (const int32_t *)learned_of;
    const int64_t *borders = (const int64_t *)borders_of, *weights = (const int64_t *)weights_of;
    const int64_t *fields = (const int64_t *)fields_of, *counts = (const int64_t *)counts_of;
    int64_t rows = vectors_size / DIMENSIONS, known = (int64_t)(words_size / (Py_ssize_t)sizeof(int32_t));
    int64_t new_ones = (int64_t)(learned_size / (Py_ssize_t)sizeof(int32_t)), largest = counts_size / (Py_ssize_t)sizeof(int64_t) - 1;
    size_t chunks = (size_t)borders_size / sizeof(int64_t) / FIELDS;
    if (weights_size / (Py_ssize_t)sizeof(int64_t) < rows || fields_size != FIELDS * (Py_ssize_t)sizeof(int64_t) || largest < 0) {
        PyErr_SetString(PyExc_ValueError, "a weight of each row, of each field, and of some counts");
        return NULL;
    }
    uint32_t *often = calloc((size_t)rows + 1, sizeof(uint32_t));
    Weighed *weighed = malloc(((size_t)known + 1) * sizeof(Weighed));
    PyObject *found = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(chunks * DIMENSIONS));
    if (often == NULL || weighed == NULL || found == NULL) {
        if (!PyErr_Occurred()) PyErr_NoMemory();
        goto failed;
    }
    int64_t at = 0;
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        size_t count = 0;
        int64_t total = 0;
        for (int field = 0; field < FIELDS; field++) {
            int64_t end = borders[chunk * FIELDS + (size_t)field];
            size_t first = count;
            if (end < at || end > known) {
                PyErr_SetString(PyExc_ValueError, "words of a chunk that are not there");
                goto failed;
            }
            for (; at < end; at++) {
                int64_t row = words[at];
                if (row < -1) row = -2 - row < new_ones ? learned[-2 - row] : rows;
                if (row < 0) continue;
                if (row >= rows) {
                    PyErr_SetString(PyExc_ValueError, "a word of no row");
                    goto failed;
                }
                if (often[row]++ == 0) weighed[count++].row = (int32_t)row;
            }
            for (size_t one = first; one < count; one++) {
                int32_t row = weighed[one].row;
                int64_t times = often[row] < largest ? often[row] : largest;
                often[row] = 0;
                total += weighed[one].weight = (counts[times] * fields[field] * weights[row]) >> shift;
            }
        }
        int cut = 0;
        while (cut < 40 && total > (int64_t)most << cut) cut++;
        for (size_t one = 0; one < count; one++) weighed[one].weight >>= cut;
        int32_t sums[DIMENSIONS];
        add_up(weighed, count, (const int8_t *)vectors, sums);
        scaled(sums, (int8_t *)PyBytes_AS_STRING(found) + chunk * DIMENSIONS);
    }
    free(often), free(weighed);
    return found;
failed:
    free(often), free(weighed);
    Py_XDECREF(found);
    return NULL;
}

static PyObject *turned(PyObject *self, PyObject *args) {
    const char *vectors_of, *signs_of;
    Py_ssize_t size, signs_size;
    (void)self;
    if (!PyArg_ParseTuple(args, "y#y#", &vectors_of, &size, &signs_of, &signs_size)) return NULL;
    if (size % DIMENSIONS || signs_size != DIMENSIONS * MATRICES * (Py_ssize_t)sizeof(int16_t)) {
        PyErr_SetString(PyExc_ValueError, "256 values of each vector, and four signs of each");
        return NULL;
    }
    size_t chunks = (size_t)size / DIMENSIONS;
    PyObject *found = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(chunks * MATRICES * DIMENSIONS / 8));
    if (found == NULL) return NULL;
    const int16_t *signs = (const int16_t *)signs_of;
    for (size_t first = 0; first < chunks; first += TURNED_TOGETHER) {
        size_t count = chunks - first < TURNED_TOGETHER ? chunks - first : TURNED_TOGETHER;
        const int8_t *vectors = (const int8_t *)vectors_of + first * DIMENSIONS;
        int16_t together[DIMENSIONS][TURNED_TOGETHER] = {{0}}, now[DIMENSIONS][TURNED_TOGETHER];
        for (size_t chunk = 0; chunk < count; chunk++)
            for (size_t one = 0; one < DIMENSIONS; one++) together[one][chunk] = vectors[chunk * DIMENSIONS + one];
        for (size_t matrix = 0; matrix < MATRICES; matrix++) {
            for (size_t one = 0; one < DIMENSIONS; one++)
                for (size_t chunk = 0; chunk < TURNED_TOGETHER; chunk++)
                    now[one][chunk] = (int16_t)(together[one][chunk] * signs[one * MATRICES + matrix]);
            for (size_t half = 1; half < DIMENSIONS; half *= 2)
                for (size_t pair = 0; pair < DIMENSIONS; pair += 2 * half)
                    for (size_t one = pair; one < pair + half; one++)
                        for (size_t chunk = 0; chunk < TURNED_TOGETHER; chunk++) {
                            int16_t a = now[one][chunk], b = now[one + half][chunk];
                            now[one][chunk] = (int16_t)(a + b), now[one + half][chunk] = (int16_t)(a - b);
                        }
            for (size_t byte = 0; byte < DIMENSIONS / 8; byte++) {
                int16_t bits[TURNED_TOGETHER] = {0};
                for (size_t bit = 0; bit < 8; bit++)
                    for (size_t chunk = 0; chunk < TURNED_TOGETHER; chunk++)
                        bits[chunk] = (int16_t)(bits[chunk] << 1 | (now[byte * 8 + bit][chunk] > 0));
                char *out = PyBytes_AS_STRING(found) + (first * MATRICES + matrix) * DIMENSIONS / 8 + byte;
                for (size_t chunk = 0; chunk < count; chunk++) out[chunk * MATRICES * DIMENSIONS / 8] = (char)bits[chunk];
            }
        }
    }
    return found;
}

static PyMethodDef methods[] = {
    {"told", told, METH_VARARGS, "Chunks of text -> their words."},
    {"summed", summed, METH_VARARGS, "Words of chunks -> the chunks' vectors."},
    {"turned", turned, METH_VARARGS, "Vectors -> their bits."},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "bags", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_bags(void) {
    for (int byte = 0; byte < 256; byte++)
        class_of[byte] = byte >= 'a' && byte <= 'z' ? LOWER : byte >= 'A' && byte <= 'Z' ? UPPER : byte >= '0' && byte <= '9' ? DIGIT : OTHER;
    return PyModule_Create(&module);
}

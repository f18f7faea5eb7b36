/** An edit of a file of postgres.js: the text `found` occurs in it once. */
export type Edit = readonly [found: string, repaired: string];

/** A fault of the driver, and the edits of one of its files that repair it. */
export interface Repair {
  fault: string;
  file: "connection.js" | "index.js" | "query.js";
  edits: readonly Edit[];
}

/** Longest kept text, and most characters per connection: ours have 4,200 at most, some 150,000 together. */
const LONGEST_KEPT = 5000;
const MOST_KEPT = 500_000;

/** Faults of postgres.js 3.4.9, each with a test; a later version that passes it needs no repair. */
export const REPAIRS: readonly Repair[] = [
  {
    fault: `What was to be written when the connection closed stays behind as "being written". The next connection sends
      nothing any more, and every statement waits for the connect timeout, for ever.`,
    file: "connection.js",
    edits: [
      [
        "    incomings = null\n    clearImmediate(nextWriteTimer)\n",
        "    incomings = null\n    clearImmediate(nextWriteTimer)\n    chunk = nextWriteTimer = null\n",
      ],
    ],
  },
  {
    fault: `A statement that is sent between the error of a socket and its end is never answered. And what the lost
      connection said last is handed to the first statement of the next one.`,
    file: "connection.js",
    edits: [
      [
        "    !hadError && (query || sent.length) && error(Errors.connection('CONNECTION_CLOSED', options, socket))\n",
        `    ;(query || sent.length) && error(Errors.connection('CONNECTION_CLOSED', options, socket))
    errorResponse = results = query = null
    result = new Result()
`,
      ],
    ],
  },
  {
    fault: `A statement whose connection the server accepts and closes without a word, as what forwards to a server that is
      down does, is never answered: the driver connects again at once, some hundred times a second, for ever.`,
    file: "connection.js",
    edits: [
      [
        "    if (initial)\n      return reconnect()\n",
        `    if (initial)
      errored(Errors.connection('CONNECTION_CLOSED', options, socket))
`,
      ],
    ],
  },
  {
    fault: `A BEGIN that fills the socket, or the pipeline, is sent, but the connection is not kept for its transaction:
      the next user of the connection works inside it.`,
    file: "connection.js",
    edits: [
      [
        `      return write(toBuffer(q))
        && !q.describeFirst
        && !q.cursorFn
        && sent.length < max_pipeline
        && (!q.options.onexecute || q.options.onexecute(connection))
`,
        `      const free = write(toBuffer(q))
        && !q.describeFirst
        && !q.cursorFn
        && sent.length < max_pipeline
      return q.options.onexecute ? q.options.onexecute(connection) : free
`,
      ],
    ],
  },
  {
    fault: `Each text of a statement is kept while the connection lasts, by the server at fifty bytes a character: whoever
      can vary a text, as the alternatives of a search, fills the memory of both. Behind these bounds a text is prepared
      for one use, which costs a round trip.`,
    file: "connection.js",
    edits: [
      ["    , statementCount = 1\n", "    , statementCount = 1\n    , kept = 0\n"],
      ["      statementCount = 1\n", "      statementCount = 1\n      kept = 0\n"],
      [
        "    q.prepare = options.prepare && ('prepare' in q.options ? q.options.prepare : true)\n",
        `    q.prepare = options.prepare && ('prepare' in q.options ? q.options.prepare : true)
      && (types + string in statements
        || (string.length <= ${LONGEST_KEPT} && (kept += string.length) <= ${MOST_KEPT}))
`,
      ],
    ],
  },
  {
    fault: `The rows of a result are counted per connection, and not anew when a statement fails behind its first rows:
      the next result has as many holes in front.`,
    file: "connection.js",
    edits: [
      [
        "    query = results = errorResponse = null\n    result = new Result()\n",
        "    query = results = errorResponse = null\n    result = new Result()\n    rows = 0\n",
      ],
    ],
  },
  {
    fault: `A transaction that lost its connection goes on: its late statements, and its COMMIT or ROLLBACK, are sent over
      whatever connection took the place, outside of any transaction or inside another one; or, before there is one, over
      no socket, an exception that nobody can catch (porsager/postgres#1208).`,
    file: "index.js",
    edits: [
      [
        "    const queries = Queue()\n    let savepoints = 0\n",
        "    const queries = Queue()\n    let lost = null\n      , savepoints = 0\n",
      ],
      [
        "        new Promise((_, reject) => connection.onclose = reject)\n",
        `        new Promise((_, reject) => {
          const lose = e => reject(lost = e)
          connection.onclose = lose
        })
`,
      ],
      [
        "        q.catch(e => uncaughtError || (uncaughtError = e))\n",
        `        q.catch(e => uncaughtError || (uncaughtError = e))
        if (lost)
          return q.reject(lost)
        const settled = resolve => x => lost ? q.reject(lost) : resolve(x)
        q.resolve = settled(q.resolve)
`,
      ],
    ],
  },
];

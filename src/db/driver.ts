import { createRequire, registerHooks } from "node:module";
import type driver from "postgres";

// postgres.js 3.4.9 with its faults repaired as it is loaded: nothing outside reaches the state in question. Another
// version, without these places, is refused at the start. Each repair has a test that fails without it
// (test/db/driver.test.ts). When a later version passes such a test, its repair can go.

interface Edit {
  file: "connection.js" | "index.js" | "query.js";
  found: string;
  repaired: string;
}

/** Characters of one text, and of all that a connection keeps: our own have 4,200 at most, some 150,000 together. */
const LONGEST_KEPT = 5000;
const MOST_KEPT = 500_000;

const REPAIRS: readonly { fault: string; edits: readonly Edit[] }[] = [
  {
    fault: `What was to be written when the connection closed stays behind as "being written". The next connection sends
      nothing any more, and every statement waits for the connect timeout, for ever.`,
    edits: [
      {
        file: "connection.js",
        found: "    incomings = null\n    clearImmediate(nextWriteTimer)\n",
        repaired:
          "    incomings = null\n    clearImmediate(nextWriteTimer)\n    chunk = nextWriteTimer = null\n",
      },
    ],
  },
  {
    fault: `A statement that is sent between the error of a socket and its end is never answered. And what the lost
      connection said last is handed to the first statement of the next one.`,
    edits: [
      {
        file: "connection.js",
        found:
          "    !hadError && (query || sent.length) && error(Errors.connection('CONNECTION_CLOSED', options, socket))\n",
        repaired: `    ;(query || sent.length) && error(Errors.connection('CONNECTION_CLOSED', options, socket))
    errorResponse = results = query = null
    result = new Result()
`,
      },
    ],
  },
  {
    fault: `A statement whose connection the server accepts and closes without a word, as what forwards to a server that is
      down does, is never answered: the driver connects again at once, some hundred times a second, for ever.`,
    edits: [
      {
        file: "connection.js",
        found: "    if (initial)\n      return reconnect()\n",
        repaired: `    if (initial)
      errored(Errors.connection('CONNECTION_CLOSED', options, socket))
`,
      },
    ],
  },
  {
    fault: `A BEGIN that fills the socket, or the pipeline, is sent, but the connection is not kept for its transaction:
      the next user of the connection works inside it.`,
    edits: [
      {
        file: "connection.js",
        found: `      return write(toBuffer(q))
        && !q.describeFirst
        && !q.cursorFn
        && sent.length < max_pipeline
        && (!q.options.onexecute || q.options.onexecute(connection))
`,
        repaired: `      const free = write(toBuffer(q))
        && !q.describeFirst
        && !q.cursorFn
        && sent.length < max_pipeline
      return q.options.onexecute ? q.options.onexecute(connection) : free
`,
      },
    ],
  },
  {
    fault: `Each text of a statement is kept while the connection lasts, by the server at fifty bytes a character: whoever
      can vary a text, as the alternatives of a search, fills the memory of both. Behind these bounds a text is prepared
      for one use, which costs a round trip.`,
    edits: [
      {
        file: "connection.js",
        found: "    , statementCount = 1\n",
        repaired: "    , statementCount = 1\n    , kept = 0\n",
      },
      {
        file: "connection.js",
        found: "      statementCount = 1\n",
        repaired: "      statementCount = 1\n      kept = 0\n",
      },
      {
        file: "connection.js",
        found:
          "    q.prepare = options.prepare && ('prepare' in q.options ? q.options.prepare : true)\n",
        repaired: `    q.prepare = options.prepare && ('prepare' in q.options ? q.options.prepare : true)
      && (types + string in statements
        || (string.length <= ${LONGEST_KEPT} && (kept += string.length) <= ${MOST_KEPT}))
`,
      },
    ],
  },
  {
    fault: `The rows of a result are counted per connection, and not anew when a statement fails behind its first rows:
      the next result has as many holes in front.`,
    edits: [
      {
        file: "connection.js",
        found: "    query = results = errorResponse = null\n    result = new Result()\n",
        repaired:
          "    query = results = errorResponse = null\n    result = new Result()\n    rows = 0\n",
      },
    ],
  },
  {
    fault: `A transaction waits for the answer to its BEGIN before it sends anything, a round trip for nothing. One that
      only reads sends its first statements behind the BEGIN; all of them fail when the BEGIN does.`,
    edits: [
      {
        file: "index.js",
        found:
          "      await sql.unsafe('begin ' + options.replace(/[^a-z ]/ig, ''), [], { onexecute }).execute()\n",
        repaired: `      const begun = sql.unsafe('begin ' + options.replace(/[^a-z ]/ig, ''), [], { onexecute })
          , { reject } = begun
      begun.reject = e => reject(lost = e)
      await (/read only/i.test(options) ? Promise.race([begun, onBeginSent]) : begun)
      move(connection, reserved)
`,
      },
      {
        file: "index.js",
        found: "    function onexecute(c) {\n      connection = c\n",
        repaired: "    function onexecute(c) {\n      connection = c\n      beginSent()\n",
      },
    ],
  },
  {
    fault: `A transaction that lost its connection goes on: its late statements, and its COMMIT or ROLLBACK, are sent over
      whatever connection took the place, outside of any transaction or inside another one; or, before there is one, over
      no socket, an exception that nobody can catch (porsager/postgres#1208).`,
    edits: [
      {
        file: "index.js",
        found: "    const queries = Queue()\n    let savepoints = 0\n",
        repaired: `    const queries = Queue()
    let beginSent
    const onBeginSent = new Promise(r => beginSent = r)
    let lost = null
      , savepoints = 0
`,
      },
      {
        file: "index.js",
        found: "        new Promise((_, reject) => connection.onclose = reject)\n",
        repaired: `        new Promise((_, reject) => {
          const lose = e => reject(lost = e)
          connection.onclose = lose
          begun.catch(reject)
        })
`,
      },
      {
        file: "index.js",
        found: "        q.catch(e => uncaughtError || (uncaughtError = e))\n",
        repaired: `        q.catch(e => uncaughtError || (uncaughtError = e))
        if (lost)
          return q.reject(lost)
        const settled = resolve => x => lost ? q.reject(lost) : resolve(x)
        q.resolve = settled(q.resolve)
`,
      },
    ],
  },
  {
    fault: `Free connections take turns, and each session of the server parses and plans every statement anew: ours takes the
      first one that is free.`,
    edits: [
      {
        file: "index.js",
        found: "      return go(open.shift(), query)\n",
        repaired: "      return go(connections.find(c => c.queue === open), query)\n",
      },
    ],
  },
  {
    fault: `A COPY waits for the server before it sends its rows, and for its end before another statement is sent. What goes
      wrong in it is dropped, and one that went well is told to fail. Ours sends its rows with it (\`sendCopy\`): what a
      server does not take of them it passes over.`,
    edits: [
      {
        file: "connection.js",
        found: "      build(q)\n",
        repaired: `      build(q)
      if (q.options.document)
        return sendWithDocument(q)
`,
      },
      {
        file: "connection.js",
        found: "  function CopyInResponse() {\n",
        repaired: `  function sendWithDocument(q) {
    const { document } = q.options
    const header = Buffer.from([100, 0, 0, 0, 0])
    header.writeInt32BE(4 + document.length, 1)
    socket.cork()
    write(toBuffer(q), noop)
    socket.write(header)
    socket.write(document)
    socket.write(b().c().end())
    socket.uncork()
    return sent.length < max_pipeline
  }

  function CopyInResponse() {
    if (query.options.document)
      return
`,
      },
    ],
  },
  {
    fault: `V8 allocates a function that is written as the value of a property among the old objects, where only a full
      collection looks: until then each statement keeps its rows, and every collection of the young ones copies them.`,
    edits: [
      {
        file: "query.js",
        found: `    this.resolve = x => (this.active = false, resolve(x))
    this.reject = x => (this.active = false, reject(x))
`,
        repaired: `    const settled = settle => x => (this.active = false, settle(x))
    this.resolve = settled(resolve)
    this.reject = settled(reject)
`,
      },
    ],
  },
];

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const edits = REPAIRS.flatMap((repair) => repair.edits).filter(({ file }) =>
      url.endsWith(`/postgres/cjs/src/${file}`),
    );
    return edits.length === 0
      ? loaded
      : { ...loaded, source: edits.reduce(apply, String(loaded.source)) };
  },
});

function apply(source: string, { found, repaired }: Edit): string {
  if (source.split(found).length !== 2) {
    throw new Error("this is not the version of postgres.js that src/db/driver.ts repairs");
  }
  return source.replace(found, () => repaired);
}

/** postgres.js, repaired; not awaited, for the reason that src/core/deep-imports.ts tells. */
export const postgres: typeof driver = createRequire(import.meta.url)("postgres");

/** Sends a COPY … FROM STDIN with its document; it need not have ended when the next statement is sent. */
export async function sendCopy(query: object, document: Buffer): Promise<void> {
  Object.assign((query as { options: object }).options, { simple: true, prepare: false, document });
  await query;
}

/**
 * Has the driver send nothing behind a statement before it is answered, as it does over busy connections: what is quick
 * would wait for what is slow, although other connections are free by then.
 */
export function keepConnection<Query extends object>(query: Query): Query {
  Object.assign((query as Query & { options: object }).options, { onexecute: () => false });
  return query;
}

import type { Repair } from "./repairs.ts";

/** Speed improvements of postgres.js, with figures in docs/measurements/api.md. Applied after the repairs. */
export const SPEED: readonly Repair[] = [
  {
    fault: `Free connections take turns, and each session of the server parses and plans every statement anew: ours takes the
      first one that is free.`,
    file: "index.js",
    edits: [
      [
        "      return go(open.shift(), query)\n",
        "      return go(connections.find(c => c.queue === open), query)\n",
      ],
    ],
  },
  {
    fault: `A COPY waits for the server before it sends its rows, and for its end before another statement is sent. What goes
      wrong in it is dropped, and one that went well is told to fail. Ours sends its rows with it (\`sendCopy\`): what a
      server does not take of them it passes over.`,
    file: "connection.js",
    edits: [
      [
        "      build(q)\n",
        `      build(q)
      if (q.options.document)
        return sendWithDocument(q)
`,
      ],
      [
        "  function CopyInResponse() {\n",
        `  function sendWithDocument(q) {
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
      ],
    ],
  },
  {
    fault: `V8 allocates a function that is written as the value of a property among the old objects, where only a full
      collection looks: until then each statement keeps its rows, and every collection of the young ones copies them.`,
    file: "query.js",
    edits: [
      [
        `    this.resolve = x => (this.active = false, resolve(x))
    this.reject = x => (this.active = false, reject(x))
`,
        `    const settled = settle => x => (this.active = false, settle(x))
    this.resolve = settled(resolve)
    this.reject = settled(reject)
`,
      ],
    ],
  },
];

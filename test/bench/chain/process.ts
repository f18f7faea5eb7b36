import { createNode } from "./node.ts";
import { serve } from "./server.ts";
import type { ChainShape } from "./shape.ts";
import type { ChainOrder, ChainReport } from "./start.ts";

// Entry of the chain's own process: makes the chain of the shape given as its argument, serves it, obeys orders.

const shape = JSON.parse(process.argv[2] as string) as ChainShape;
const node = createNode(shape);
const server = await serve(node);

/** Unix milliseconds with a fraction, the same clock in all processes. */
function now(): number {
  return performance.timeOrigin + performance.now();
}

function report(announcedAt: number): void {
  const { askedAt } = server;
  const message: ChainReport = {
    port: server.port,
    head: node.head,
    totals: node.totals,
    announcedAt,
    askedAt: askedAt === undefined ? undefined : performance.timeOrigin + askedAt,
  };
  process.send?.(message);
}

process.on("message", ({ mine, spoil }: ChainOrder) => {
  if (spoil) server.spoil(spoil);
  if (mine > 0) server.mine(mine);
  report(now());
});
process.on("disconnect", () => process.exit());
report(now());

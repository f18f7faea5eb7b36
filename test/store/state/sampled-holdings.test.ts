import { expect, it } from "vitest";
import { listSampledHoldings } from "../../../src/store/state/tokens/marks.ts";
import { addressAt, publish } from "../../support/build.ts";
import { createTestDatabase } from "../../support/postgres.ts";

it("samples each pair of a holder and an id of ERC-1155 sooner or later, however many held some once", async () => {
  const database = await createTestDatabase();
  try {
    const { sql } = database;
    const token = addressAt(1);
    const holders = Array.from({ length: 40 }, (_, at) => addressAt(100 + at));
    const ids = Array.from({ length: 16 }, (_, at) => String(at));
    await publish(sql, {
      blocks: [{ number: 1 }],
      tokens: [{ address: token, standard: 1155 }],
      tokenBalances: [
        ...Array.from({ length: 300 }, (_, at) => ({
          token,
          owner: addressAt(1_000 + at),
          amount: "0",
        })),
        ...holders.map((owner) => ({ token, owner, amount: "16" })),
      ],
      tokenIdBalances: ids.map((tokenId, at) => ({
        token,
        owner: holders[at] ?? token,
        tokenId,
        amount: "1",
      })),
    });
    await sql`UPDATE tokens SET holder_count = ${holders.length}`;
    const wanted = new Set(holders.flatMap((owner) => ids.map((id) => `${owner} ${id}`)));
    for (let round = 0; round < 100 && wanted.size > 0; round++) {
      const sample = await listSampledHoldings(sql, [token]);
      expect(sample.length).toBeLessThanOrEqual(320);
      for (const { owner, tokenId } of sample) wanted.delete(`${owner} ${tokenId}`);
    }
    expect([...wanted]).toEqual([]);
  } finally {
    await database.drop();
  }
});

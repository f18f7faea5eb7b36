import { expect, test } from "vitest";
import { publicReasonOf } from "../../src/db/failures.ts";

test("tells anybody what kind of failure it was, in no word of the server's", () => {
  const failure = (code: string) =>
    Object.assign(new Error(`10.0.0.5:5432 alice ledger ${code}`), { code });
  const own = ["28P01", "3D000", "42501", "53300", "53100"];
  const told = [...own, "ECONNREFUSED", "CONNECT_TIMEOUT", "57P03"].map((code) =>
    publicReasonOf(failure(code)),
  );
  expect(told).toEqual([
    expect.stringContaining("refuses the user or the password"),
    expect.stringContaining("does not exist"),
    expect.stringContaining("lacks a right"),
    expect.stringContaining("no connection left"),
    expect.stringContaining("disk of the database is full"),
    ...Array(3).fill(expect.stringContaining("does not answer")),
  ]);
  expect(told.join()).not.toMatch(/10\.0\.0\.5|alice|ledger/);
  expect(publicReasonOf(failure("22012"))).toBeUndefined();
  expect(publicReasonOf("thrown text")).toBeUndefined();
});

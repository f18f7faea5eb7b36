import fc from "fast-check";
import { expect, test } from "vitest";
import { createSecrets, secretsOfDatabaseUrl, secretsOfUrl } from "../../src/core/secrets.ts";
import { ENCODINGS } from "../support/encodings.ts";

const oddText = fc.oneof(
  fc.string({ minLength: 8, maxLength: 40 }),
  fc.string({
    minLength: 8,
    maxLength: 40,
    unit: fc.constantFrom(..."/@?#%&=+:\\\"'<>$^~ äß€😀.a0"),
  }),
  fc.string({ minLength: 8, maxLength: 20, unit: "grapheme" }),
);

test("a secret is blotted out in every encoding", () => {
  fc.assert(
    fc.property(
      oddText.filter((text) => text.isWellFormed()),
      fc.string(),
      (secret, around) => {
        const { redact } = createSecrets([secret]);
        const found = Object.entries(ENCODINGS).filter(([, encode]) => {
          const encoded = encode(secret);
          const told = redact(`${around}<${encoded}>${around}`);
          return told.includes(encoded) && !around.includes(encoded);
        });
        expect(found.map(([name]) => name)).toEqual([]);
      },
    ),
  );
});

test("what is no secret stays as it is", () => {
  const { redact } = createSecrets(["s3cr3t-key"]);
  expect(redact("block 17 of 18 at node 1: no secret key here")).toBe(
    "block 17 of 18 at node 1: no secret key here",
  );
  expect(createSecrets().redact("anything")).toBe("anything");
});

test("a URL's secrets are found, however they are encoded", () => {
  const enough = oddText.filter((text) => text.isWellFormed() && !/^\.*$/.test(text));
  fc.assert(
    fc.property(enough, enough, enough, enough, (user, password, key, token) => {
      const [u, p, k, t] = [user, password, key, token].map(encodeURIComponent);
      const found = secretsOfUrl(`https://${u}:${p}@host/v3/${k}?token=${t}`);
      expect(found).toEqual(
        expect.arrayContaining([user, password, `${user}:${password}`, key, token]),
      );
      expect(
        secretsOfDatabaseUrl(`postgres://${u}:${p}@host/periscope?sslmode=verify-full`),
      ).toEqual([password]);
    }),
  );
});

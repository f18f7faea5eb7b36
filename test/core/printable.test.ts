import { expect, test } from "vitest";
import { printable } from "../../src/core/printable.ts";

test("text of others stays on its line and does nothing to the terminal", () => {
  const escapes = "\u001b]0;title\u0007\u001b[2J \u009b31m red";
  expect(printable(escapes)).toBe(" ]0;title [2J  31m red");
  expect(printable("one\r\ntwo\u2028three\u2029four")).toBe("one two three four");
  expect(printable("abc\u202ecba\u2066\u200b!")).toBe("abc cba !");
  expect(printable("half \ud800, 中文, é, 🙂")).toBe("half \ufffd, 中文, é, 🙂");
});

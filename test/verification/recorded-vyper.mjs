// Not a compiler: a stand-in for vyper 0.4.3 that answers from recorded output of the real one
// (test/fixtures/vyper), for inputs that are equal but for the selection of outputs, and for solc's setting of the
// optimizer, which vyper does not read.
import { readdirSync, readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";

const FOLDER = new URL("../fixtures/vyper/", import.meta.url);

function withoutIgnored({ settings, ...input }) {
  const { outputSelection: _, optimizer: __, ...kept } = settings ?? {};
  return { ...input, settings: kept };
}

function answer(input) {
  for (const name of readdirSync(FOLDER)) {
    const { compilations, failing, commentOnlyChange } = JSON.parse(
      readFileSync(new URL(name, FOLDER), "utf8"),
    );
    for (const recorded of [...compilations, ...failing, commentOnlyChange]) {
      if (isDeepStrictEqual(withoutIgnored(recorded.input), withoutIgnored(input))) {
        return recorded.output;
      }
    }
  }
  throw new Error("this input was not recorded");
}

if (process.argv.includes("--version")) {
  process.stdout.write("0.4.3+commit.bff19ea2\n");
} else {
  const input = JSON.parse(readFileSync(0, "utf8"));
  process.stdout.write(JSON.stringify(answer(input)));
}

import prometheus from "prom-client";
import undici from "undici";
import * as viem from "viem";
import * as actions from "viem/actions";
import * as utils from "viem/utils";
import { expect, test } from "vitest";
import * as deepImports from "../../src/core/deep-imports.ts";

const libraries: Record<string, unknown> = {
  ...viem,
  ...utils,
  ...actions,
  ...prometheus,
  Pool: undici.Pool,
};

test.each(Object.entries(deepImports))("%s is the one that its library exports", (name, part) => {
  expect(part).toBeDefined();
  expect(part).toBe(libraries[name]);
});

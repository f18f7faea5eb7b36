import { defineConfig, mergeConfig } from "vitest/config";
import { shared } from "../vitest.config.ts";
import { DEEP, MATRICES } from "./files.ts";

export default defineConfig(
  mergeConfig(shared, { test: { include: [...DEEP, ...MATRICES], env: { EVERY_CASE: "1" } } }),
);

import { defineConfig, mergeConfig } from "vitest/config";
import { MATCHING } from "../deep/files.ts";
import { shared } from "../vitest.config.ts";

export default defineConfig(mergeConfig(shared, { test: { include: [...MATCHING] } }));

import { defineConfig, mergeConfig } from "vitest/config";
import { PROCESSES } from "../deep/files.ts";
import { shared } from "../vitest.config.ts";

export default defineConfig(mergeConfig(shared, { test: { include: [...PROCESSES] } }));

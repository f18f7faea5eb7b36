import { defineConfig, mergeConfig } from "vitest/config";
import { shared } from "../vitest.config.ts";
import { DEEP } from "./files.ts";

export default defineConfig(mergeConfig(shared, { test: { include: [...DEEP] } }));

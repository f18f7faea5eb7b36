import { startAttackWorld } from "./attack-world.ts";
import { tryForgeries } from "./made-up-arguments.ts";

tryForgeries(startAttackWorld);

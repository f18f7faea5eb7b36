import { expect, test } from "vitest";
import { createSlots } from "../../src/core/slots.ts";

test("admits as many as there are places, then in the order they came; who comes back goes first", async () => {
  const slots = createSlots(1);
  const admitted: string[] = [];
  const enter = async (name: string, comesBack = false) => {
    await slots.enter(comesBack);
    admitted.push(name);
  };
  const entering = [enter("first"), enter("second"), enter("third"), enter("back", true)];
  await entering[0];
  expect(admitted).toEqual(["first"]);
  for (const _ of entering) slots.leave();
  await Promise.all(entering);
  expect(admitted).toEqual(["first", "back", "second", "third"]);
  await slots.enter();
});

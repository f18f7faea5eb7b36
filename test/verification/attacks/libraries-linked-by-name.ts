import { linkedLibrary } from "./linked-library.ts";

/** Up to 0.7.4 solc links by the name alone. */
export default linkedLibrary({
  title:
    "the settings name an honest library in its file, and another one in a file that overrules it",
  compiler: "0.6.12",
  modifiers: "external pure",
  settings: (good, bad) => ({ "User.sol": { Maths: good }, "Z.sol": { Maths: bad } }),
  proven: "User.sol:Maths",
});

import { linkedLibrary } from "./linked-library.ts";

export default linkedLibrary({
  title: "with a compiler that knows no files, the last library of a name is linked",
  compiler: "0.4.8",
  modifiers: "",
  settings: (good, bad) => ({ "": { Maths: good }, "User.sol": { Maths: bad } }),
  proven: ":Maths",
});

import { testPairs } from "./pairs.ts";

testPairs("sample");

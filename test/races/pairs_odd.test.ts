import { testPairs } from "./pairs.ts";

testPairs(1);

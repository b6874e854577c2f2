/** @module-tag long */
import { testPairs } from "./pairs.ts";

testPairs(1);

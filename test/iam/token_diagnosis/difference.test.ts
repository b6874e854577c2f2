import { expect, test } from "vitest";
import { NearMiss } from "../../../schema/gen/platform/iam/diagnosis/v2/token_diagnosis_pb.js";
import { nearMissOf } from "../../../src/iam/token_diagnosis/difference.ts";

test("slashes at the end are a near miss however many there are, and slashes elsewhere are not", () => {
  const many = "/".repeat(1_000_000);
  expect(nearMissOf("https://i.example", `https://i.example${many}`)).toBe(NearMiss.TRAILING_SLASH);
  expect(nearMissOf("https://i.example", `${many}x`)).toBe(NearMiss.UNSPECIFIED);
});

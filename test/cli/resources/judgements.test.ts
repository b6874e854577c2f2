import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  consumersOf,
  countOf,
  resolvedOf,
  severityOf,
  statusOf,
  summaryOf,
} from "../../../cli/resources/judgements.ts";

const of = (type: string, score: string) => ({ type: `TYPE_CVSS_${type}`, score });

describe("a severity", () => {
  // Scores of the calculators of FIRST, and for version 2 of the NVD.
  test.each([
    [of("V2", "AV:N/AC:L/Au:N/C:C/I:C/A:C"), "10.0 high"],
    [of("V3", "CVSS:3.0/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H"), "10.0 critical"],
    [of("V3", "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H"), "9.8 critical"],
    [of("V3", "CVSS:3.1/AV:L/AC:L/PR:N/UI:R/S:U/C:N/I:N/A:H"), "5.5 medium"],
    [of("V3", "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:N"), "0.0 none"],
    [of("V4", "CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N"), "9.3 critical"],
    [of("V3", "7.5"), "7.5 high"],
    [of("V3", "3.9"), "3.9 low"],
    [of("V3", "CVSS:3.1/AV:N"), "CVSS:3.1/AV:N"],
    [of("V3", "grave"), "grave"],
    [of("V3", "__proto__"), "__proto__"],
    [of("V3", ""), ""],
  ])("%j is %j", (one, text) => expect(severityOf({ severities: [one] })).toBe(text));

  test("is that of the newest version if there are several, and absent if there are none", () => {
    const severities = [of("V3", "5.0"), of("V4", "9.0"), of("V2", "1.0")];
    expect(severityOf({ severities })).toBe("9.0 critical");
    expect([severityOf({}), severityOf({ severities: [] })]).toEqual(["", ""]);
  });

  test("is shown as text for any value", () => {
    const part = fc.constantFrom(
      "CVSS:3.1",
      "CVSS:4.0",
      "AV:N",
      "AC",
      "CVSS:3.1/AV:N/",
      ":",
      "/",
      "__proto__",
      "é",
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(part).map((all) => all.join("/")),
        ),
        (score) => {
          expect(typeof severityOf({ severities: [of("V3", score)] })).toBe("string");
        },
      ),
    );
  });
});

describe("the status of an advisory", () => {
  const event = (step: string, state = "APPROVED") => ({
    reviewState: `REVIEW_STATE_${state}`,
    [step]: {},
  });

  test.each([
    [[], ""],
    [[event("detection")], "detected"],
    [[event("detection"), event("fixed")], "fixed"],
    [[event("fixed"), event("truePositiveDetermination", "PENDING")], "fixed"],
    [[event("falsePositiveDetermination", "REJECTED")], "in review"],
    [[event("patched"), event("componentLocationChanged")], "patched"],
    [[event("componentLocationChanged")], ""],
  ])("after %j is %j", (events, text) => expect(statusOf({ events })).toBe(text));

  test("is withdrawn once it is deleted", () => {
    expect(statusOf({ deleteTime: "2026-01-01T00:00:00Z", events: [event("fixed")] })).toBe(
      "withdrawn",
    );
  });
});

test("a vulnerability has its summary, or the first sentence of its text", () => {
  expect(summaryOf({ summary: "Short", details: "Long." })).toBe("Short");
  expect(summaryOf({ details: "It falls over. So it does.\n\nAnd more." })).toBe("It falls over.");
  expect(summaryOf({})).toBe("");
});

test("resolved vulnerabilities show their ids, and a document the number of its advisories", () => {
  expect(resolvedOf({ resolvedVulns: [{ id: "CVE-1" }, { id: "CVE-2" }] })).toBe("CVE-1, CVE-2");
  expect([resolvedOf({}), countOf({}), countOf({ advisories: [{}, {}] })]).toEqual(["", "0", "2"]);
});

describe("who pulls a tag", () => {
  const by = (...names: string[]) => names.map((identityName) => ({ identityName }));

  test.each([
    ["no one", {}],
    ["ci-bot", { consumers: by("ci-bot"), consumerCount: 1 }],
    ["ci-bot, deploy", { consumers: by("ci-bot", "deploy"), consumerCount: 2 }],
    ["ci-bot, deploy, 1 more", { consumers: by("ci-bot", "deploy", "x"), consumerCount: 3 }],
    ["a, b, over 8 more", { consumers: by("a", "b", "c"), consumerCount: 11 }],
    ["a1/b2", { consumers: [{ identityUid: "a1/b2" }], consumerCount: 1 }],
    ["anyone without a role", { consumers: [{ pullDays: 1 }], consumerCount: 1 }],
    // The caller may not see who they are.
    ["1 identity", { consumerCount: 1 }],
    ["2 identities", { consumerCount: 2 }],
    ["over 10 identities", { consumerCount: 11 }],
  ])("%s", (text, row) => {
    expect(consumersOf(row)).toBe(text);
  });
});

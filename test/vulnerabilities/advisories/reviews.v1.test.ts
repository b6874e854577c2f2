import { beforeEach, describe, expect, test } from "vitest";
import { newContractCaller } from "../../contract/fixtures.ts";
import { newTenant } from "../callers.ts";
import { callsOf, eventsAbout, namesAndCost, ok, refusalSummary } from "./calls.v1.ts";

let group: string;
let token: string;
let calls: ReturnType<typeof callsOf>;
let advisory: string;
beforeEach(async () => {
  ({ group, token } = await newTenant());
  calls = callsOf(token);
  advisory = (await ok(calls.create(group, { artifactName: "box", artifactType: "apk" }))).id;
});

/** The token of a caller who can write advisories and events but approve none. */
const writer = async () => (await newContractCaller(group, [1900, 1901, 1902])).token;

const fixed = { fixedVersion: "1.2-r3", note: "n" };

describe("a review of an event", () => {
  test("requires advisories.approve and records the reviewer", async () => {
    const ann = callsOf(await writer());
    const made = await ok(ann.addEvent(advisory, { fixed }));
    for (const status of ["APPROVED", "REJECTED", "REQUEST_CHANGES"]) {
      for (const refused of [
        ann.addEvent(advisory, { fixed, status }),
        ann.updateEvent(made.id, { fixed, status }),
        ann.create(group, { artifactName: "x", artifactType: "apk", events: [{ fixed, status }] }),
      ]) {
        const { status: code, text } = await refusalSummary(refused);
        expect(code).toBe(403);
        expect(text).toContain("advisories.approve");
      }
    }
    const asked = await ok(calls.updateEvent(made.id, { fixed, status: "REQUEST_CHANGES" }));
    expect(asked.reviewer).toBe("someone");
    const edited = { fixed: { fixedVersion: "2" } };
    // The verdict was not on what the author makes of it.
    const again = await ok(ann.updateEvent(made.id, { ...asked, ...edited }));
    expect(again).toMatchObject({ ...edited, status: "PENDING" });
    expect(again.reviewer).toBeUndefined();
    await ok(calls.updateEvent(made.id, { ...edited, status: "APPROVED", reviewer: "rex" }));
    const [last] = (await ok(calls.listEvents(advisory))).items;
    expect(last).toMatchObject({ ...edited, status: "APPROVED", reviewer: "rex" });
  });

  test.each([
    { fixed: { fixedVersion: "2" } },
    { fixNotPlanned: {} },
    { findings: "e30=" },
    { issue: "I-2" },
    { author: "eve" },
    { timestamp: "2026-01-01T00:00:00Z" },
  ])("starts again if a caller who cannot review writes %o", async (change) => {
    const ann = callsOf(await writer());
    const said = { fixed, status: "REQUEST_CHANGES", reviewer: "rex" };
    const made = await ok(calls.addEvent(advisory, said));
    const { fixed: _, ...rest } = made;
    const put = "fixNotPlanned" in change ? { ...rest, ...change } : { ...made, ...change };
    const now = await ok(ann.updateEvent(made.id, put));
    expect([now.status, now.reviewer]).toEqual(["PENDING", undefined]);
    expect((await ok(calls.listEvents(advisory))).items).toEqual([now]);
  });

  test("stays valid if a reviewer edits the event, or if only its texts are left out", async () => {
    const ann = callsOf(await writer());
    const said = { fixed, status: "REQUEST_CHANGES", reviewer: "rex" };
    const made = await ok(calls.addEvent(advisory, said));
    const same = await ok(ann.updateEvent(made.id, { fixed, status: "REQUEST_CHANGES" }));
    expect(same).toEqual(made);
    const edited = await ok(calls.updateEvent(made.id, { ...made, issue: "I-2" }));
    expect(edited).toEqual({ ...made, issue: "I-2" });
  });

  test("names no reviewer if the caller cannot review", async () => {
    const ann = callsOf(await writer());
    const made = await ok(ann.addEvent(advisory, { fixed }));
    const events = [{ fixed, reviewer: "rex" }];
    for (const refused of [
      ann.addEvent(advisory, { fixed, reviewer: "rex" }),
      ann.updateEvent(made.id, { fixed, reviewer: "rex" }),
      ann.create(group, { artifactName: "x", artifactType: "apk", events }),
    ]) {
      const { status, text } = await refusalSummary(refused);
      expect([status, text.includes("advisories.approve")], text).toEqual([403, true]);
    }
    expect((await namesAndCost(calls.list("eventReviewer=rex"))).names).toEqual([]);
    // An approver can ask someone for a review, and the author can undo that.
    const asked = await ok(calls.updateEvent(made.id, { fixed, reviewer: "rex" }));
    expect(asked).toMatchObject({ status: "PENDING", reviewer: "rex" });
    expect(await ok(ann.updateEvent(made.id, asked))).toEqual(asked);
  });

  test.each(["APPROVED", "REJECTED"])(
    "that is %s prevents further changes of the event",
    async (status) => {
      const made = await ok(calls.addEvent(advisory, { fixed, status }));
      for (const change of [{ fixed }, { fixed, status }, { ...made, issue: "I-1" }]) {
        const refused = await refusalSummary(
          calls.updateEvent(made.id, { ...change, reviewer: "else" }),
        );
        expect(refused).toMatchObject({ status: 400, type: "EVENT_REVIEWED" });
      }
      expect(await ok(calls.updateEvent(made.id, made))).toEqual(made);
      expect(await eventsAbout(made.id)).toHaveLength(1);
    },
  );
});

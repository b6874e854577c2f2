import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { maxStreams, type OpenStream, openStreamOf } from "../../src/events/events/open_streams.ts";
import { randomUid } from "../world/personas.ts";

const open = (identity: string) => openStreamOf(identity) as OpenStream;
const goesOn = () => false;

describe("the looks of an identity", () => {
  test("take turns, and those of another identity do not wait for them", async () => {
    const identity = randomUid();
    const streams = [open(identity), open(identity), open(identity)];
    let [looking, most] = [0, 0];
    const look = async () => {
      looking += 1;
      most = Math.max(most, looking);
      await pause(50);
      looking -= 1;
    };
    const looks = streams.map((stream) => stream.look(look, goesOn));
    const other = await open(randomUid()).look(async () => looking, goesOn);
    expect(other).toBe(1);
    await Promise.all(looks);
    expect(most).toBe(1);
    for (const stream of streams) stream.close();
  });

  test("rest three times as long as the last one took", async () => {
    const stream = open(randomUid());
    let [end, start] = [0, 0];
    const slow = async () => {
      await pause(200);
      end = Date.now();
    };
    await stream.look(slow, goesOn);
    await stream.look(async () => {
      start = Date.now();
    }, goesOn);
    expect(start - end).toBeGreaterThan(550);
  });

  test("do not begin when the stream has stopped while it waited", async () => {
    const identity = randomUid();
    const [first, second] = [open(identity), open(identity)];
    const slow = first.look(() => pause(100), goesOn);
    let isStopped = false;
    const waiting = second.look(
      async () => "looked",
      () => isStopped,
    );
    isStopped = true;
    expect(await waiting).toBeUndefined();
    await slow;
  });
});

test("an identity has no more than its streams, and another one after it has closed one", () => {
  const identity = randomUid();
  const [first] = Array.from({ length: maxStreams }, () => openStreamOf(identity));
  expect(openStreamOf(identity)).toBeUndefined();
  expect(openStreamOf(randomUid())).toBeDefined();
  first?.close();
  expect(openStreamOf(identity)).toBeDefined();
  expect(openStreamOf(identity)).toBeUndefined();
});

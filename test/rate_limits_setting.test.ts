import { expect, test } from "vitest";
import { defaultRateLimits } from "../schema/deployment/rate_limits.ts";
import { ConfigError } from "../src/config.ts";
import { rateLimitsOf } from "../src/rate_limits_setting.ts";

test("entries that are left out have defaults", () => {
  expect(rateLimitsOf()).toEqual(defaultRateLimits);
  expect(rateLimitsOf("")).toEqual(defaultRateLimits);
  expect(rateLimitsOf('{"read":{"caller":1},"login":{}}')).toEqual({
    ...defaultRateLimits,
    read: { ...defaultRateLimits.read, caller: 1 },
  });
});

test("off turns all limits off", () => {
  expect(rateLimitsOf("off")).toBeUndefined();
});

test.each([
  ["on", 'must be "off" or a JSON object'],
  ["[]", 'must be "off" or a JSON object'],
  ["null", 'must be "off" or a JSON object'],
  ["6000", 'must be "off" or a JSON object'],
  ['{"reads":{}}', 'has no class "reads"; the classes are read, list,'],
  ['{"read":6000}', "must give an object for read; it is 6000"],
  ['{"read":null}', "must give an object for read; it is null"],
  ['{"read":{"callers":1}}', 'has no entry "callers" in read; they are caller, organization,'],
  ['{"write":{"caller":0}}', "a whole number from 1 to 100000000 for write.caller; it is 0"],
  ['{"write":{"caller":1.5}}', "for write.caller; it is 1.5"],
  ['{"write":{"network":"9"}}', 'for write.network; it is "9"'],
  ['{"write":{"network":1e9}}', "for write.network; it is 1000000000"],
])("%s is refused", (text, why) => {
  const read = () => rateLimitsOf(text);
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(`RATE_LIMITS `);
  expect(read).toThrow(why);
});

/** Help texts of generated commands are imperative, and the comments that they come from are not. */
import { expect, test } from "vitest";
import { toImperative } from "../../../schema/describe/imperative.ts";

const rpc = "platform.registry.v2.TagsService/ListTags";

test.each([
  ["Lists the tags. Fails without a token.", "List the tags. Fails without a token."],
  ["Switches SCIM on or off.", "Switch SCIM on or off."],
  ["Creates a tag, or moves the tag of that name.", "Create a tag, or move the tag of that name."],
  ["Stores a file and records its digest.", "Store a file and record its digest."],
  ["Permanently deletes a group.", "Permanently delete a group."],
  ["Lists reports and changes of a tag.", "List reports and changes of a tag."],
  [
    "Gets a tag. Lists the moves, and removes the rest.",
    "Get a tag. Lists the moves, and removes the rest.",
  ],
])("%j becomes %j", (comment, text) => {
  expect(toImperative(comment, rpc)).toBe(text);
});

test.each(["The tags of a repository.", "List the tags.", "", "Frobnicates the tags."])(
  "the comment %j, which does not begin with a known verb, is an error that names its RPC",
  (comment) => {
    expect(() => toImperative(comment, rpc)).toThrow(rpc);
  },
);

/** The layers that two images have in common. */
import { expect, test } from "vitest";
import { commonLayers } from "../../../console/compare/layers.ts";

const layer = (digest: string, size = 10) => ({ digest, size, mediaType: "" });

test("layers are compared by digest, and a layer that an image has twice counts once", () => {
  const first = [layer("a"), layer("b", 5), layer("b", 5)];
  const second = [layer("c"), layer("b", 5)];
  expect(commonLayers(first, second)).toEqual({ common: 1, first: 2, second: 2, bytes: 5 });
  expect(commonLayers(first, [])).toEqual({ common: 0, first: 2, second: 0, bytes: 0 });
});

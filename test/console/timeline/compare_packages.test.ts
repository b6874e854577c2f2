/** The packages of two images are compared like two plain loops would. */
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type ComparedPackage,
  comparePackages,
  fullName,
} from "../../../console/timeline/compare_packages.ts";

const names = fc.constantFrom("a", "b", "openssl", "libc", "@angular/core", "‮evil", "<b>x</b>");
const packages: fc.Arbitrary<ComparedPackage[]> = fc.array(
  fc.record({
    name: names,
    namespace: fc.constantFrom("", "debian", "org.example"),
    version: fc.constantFrom("", "1", "1.0", "2", "3"),
    type: fc.constantFrom("", "deb", "npm"),
  }),
  { maxLength: 40 },
);

const isSame = (a: ComparedPackage, b: ComparedPackage) =>
  fullName(a) === fullName(b) && a.type === b.type;
const versions = (of: ComparedPackage, all: ComparedPackage[]) =>
  [...new Set(all.filter((one) => isSame(one, of)).map(({ version }) => version))].sort();

test("each package came, went, changed or stayed, with the versions that only one image has", () => {
  fc.assert(
    fc.property(packages, packages, (before, after) => {
      const found = comparePackages(before, after);
      const seen = [...found.came, ...found.went, ...found.changed].length + found.same;
      const all = [...before, ...after];
      const distinct = all.filter((one, at) => all.findIndex((other) => isSame(one, other)) === at);
      expect(seen).toBe(distinct.length);
      for (const one of distinct) {
        const [old, current] = [versions(one, before), versions(one, after)];
        const list =
          old.length === 0 ? found.came : current.length === 0 ? found.went : found.changed;
        const change = list.find(({ name, type }) => name === fullName(one) && type === one.type);
        const gone = old.filter((version) => !current.includes(version));
        const added = current.filter((version) => !old.includes(version));
        if (gone.length + added.length === 0) expect(change).toBeUndefined();
        else expect(change).toMatchObject({ before: gone, after: added });
      }
    }),
  );
});

test("an image does not differ from itself, and what comes in one direction goes in the other", () => {
  fc.assert(
    fc.property(packages, packages, (before, after) => {
      const { came, went, changed } = comparePackages(before, before);
      expect([came, went, changed]).toEqual([[], [], []]);
      const [forth, back] = [comparePackages(before, after), comparePackages(after, before)];
      const turned = (changes: typeof forth.came) =>
        changes.map((one) => ({ ...one, before: one.after, after: one.before }));
      expect(turned(back.went)).toEqual(forth.came);
      expect(turned(back.changed)).toEqual(forth.changed);
    }),
  );
});

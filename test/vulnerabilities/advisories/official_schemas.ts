/** The official JSON schemas of the formats in which advisories are exported. */
import { readFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { expect } from "vitest";

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);

const compile = (file: string): ValidateFunction =>
  ajv.compile(JSON.parse(readFileSync(new URL(`../schemas/${file}`, import.meta.url), "utf8")));

const validators = { osv: compile("osv-1.7.5.json"), openvex: compile("openvex-0.2.0.json") };

/** Fails with all violations unless the document is valid. */
export function expectValid(format: keyof typeof validators, document: unknown): void {
  const validate = validators[format];
  validate(document);
  expect(validate.errors ?? [], JSON.stringify(document).slice(0, 2000)).toEqual([]);
}

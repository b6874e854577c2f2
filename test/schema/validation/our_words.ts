/** Translates the messages of protovalidate to those of schema/validation. */
import type { DescEnum } from "@bufbuild/protobuf";
import type { Violation } from "@bufbuild/protovalidate";
import { fieldRules } from "../../../schema/options.ts";
import { patternWords } from "../../../schema/validation/patterns.ts";

type PathStep = Violation["field"][number];

/** Our words for a message of protovalidate. The bounds, values and names in it are those of protovalidate. */
export function ourWords(rule: string, text: string, step: PathStep | undefined): string {
  const enumeration = step && "fieldKind" in step ? step.enum : undefined;
  const items = /\[(.*)\]/.exec(text)?.[1] ?? "";
  const names = items.split(", ").map((one) => enumeration?.value[Number(one)]?.name ?? one);
  if (rule === "required") {
    const fields = step?.kind === "oneof" ? step.fields.map(({ name }) => name) : [];
    if (fields.length === 0) return "is required";
    return `is required: set ${fields.length > 1 ? "one of " : ""}${fields.join(", ")}`;
  }
  if (rule === "string.pattern") {
    return patternWords(/`(.*)`/s.exec(text)?.[1] ?? "") ?? "has a pattern without words";
  }
  if (rule === "enum.defined_only") return definedNames(enumeration, step);
  if (rule.endsWith(".in")) return `must be one of ${names.join(", ")}`;
  if (rule === "enum.not_in") return `must not be ${names.join(", ")}`;
  if (rule === "repeated.unique") return "must not contain an item twice";
  const empty = /^value is empty, which is not a valid (.*)$/.exec(text)?.[1];
  if (empty) return `must be ${withArticle(empty)}, and is empty`;
  return text
    .replace(/^must be a valid (.*)$/, (_, noun: string) => `must be ${withArticle(noun)}`)
    .replace(
      /^(?:map )?must (?:be|contain) (at least|at most) (?=\d+ (?:char|byte|item|entr))/,
      "must have $1 ",
    )
    .replace(/^must contain no more than /, "must have at most ")
    .replace("item(s)", "items")
    .replace(/(?<= 1 )(character|byte|item)s$/, "$1")
    .replace(/(?<= 1 )entries$/, "entry")
    .replace(/(?<=bytes)$/, rule === "string.max_bytes" ? " in UTF-8" : "")
    .replace(
      /^must be greater than or equal to (\S+) and less than or equal to (\S+)$/,
      "must be between $1 and $2",
    )
    .replaceAll("greater than or equal to", "at least")
    .replaceAll("less than or equal to", "at most")
    .replaceAll("greater than", "more than");
}

const withArticle = (noun: string) => `${/^e/.test(noun) ? "an" : "a"} ${noun}`;

function definedNames(enumeration: DescEnum | undefined, step: PathStep | undefined): string {
  const rules = step?.kind === "field" ? fieldRules(step)?.type : undefined;
  const own = rules?.case === "repeated" ? rules.value.items?.type : rules;
  const excluded = own?.case === "enum" ? own.value.notIn : [];
  const names = (enumeration?.values ?? [])
    .filter(({ number }) => !excluded.includes(number))
    .map(({ name }) => name);
  if (names.length > 20) return `must be a value of the enum ${enumeration?.name}`;
  return `must be one of ${names.join(", ")}`;
}

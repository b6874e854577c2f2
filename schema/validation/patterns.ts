/**
 * The words for each pattern of the protos, which follow the name of the field in an error. An error shows the words
 * before the pattern. A pattern without words fails test/schema/validation/patterns.test.ts.
 */
const words: Record<string, string> = {
  "^[0-9a-f]{40}(/[0-9a-f]{16})*$":
    "must be 40 lowercase hexadecimal digits, and a slash and 16 more for each level below the organization",
  "^[0-9a-f]{40}(/[0-9a-f]{16})+$":
    "must be 40 lowercase hexadecimal digits, and a slash and 16 more for each level below the organization, at least one",
  "^([a-z0-9_.-]+|[a-z0-9_.-]*\\*)$":
    "must be lowercase letters, digits, dots, underscores and hyphens, and can end with an asterisk",
  "^[A-Za-z0-9_.-]*(\\*[A-Za-z0-9_.-]*){0,3}$":
    "can contain only letters, digits, dots, underscores, hyphens and at most three asterisks",
  "^sha256:[0-9a-f]{64}$": "must be sha256: and 64 lowercase hexadecimal digits",
  "^(sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$":
    "must be sha256: and 64 lowercase hexadecimal digits, or sha512: and 128",
  "^[a-z0-9 ._-]{1,}$":
    "can contain only lowercase letters, digits, spaces, dots, underscores and hyphens, and must not be empty",
  "^[\\S ]{0,512}$": "must have at most 512 characters, without tabs or line breaks",
  "^[a-z0-9]+((\\.|_|__|-+)[a-z0-9]+)*(/[a-z0-9]+((\\.|_|__|-+)[a-z0-9]+)*)*$":
    "must be lowercase letters and digits, separated by a slash, a dot, one or two underscores, or hyphens",
  "^[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}$":
    "must be 1 to 128 letters, digits, dots, underscores and hyphens, and must not begin with a dot or a hyphen",
  "^[a-zA-Z0-9][a-zA-Z0-9._/-]{0,127}$":
    "must be 1 to 128 letters, digits, dots, underscores, slashes and hyphens, and must begin with a letter or a digit",
  "^[a-zA-Z0-9_.*-]{1,128}$":
    "must be 1 to 128 letters, digits, dots, underscores, hyphens and asterisks",
  "^[a-z0-9._/*-]{1,255}$":
    "must be 1 to 255 lowercase letters, digits, dots, underscores, slashes, hyphens and asterisks",
  "^[a-zA-Z0-9_.\\-/]*[a-zA-Z0-9_.\\-]:[a-zA-Z0-9_.\\-]+$":
    "must be an image, a colon and a tag, such as library/python:3.12, of letters, digits, dots, underscores, hyphens and slashes",
  "^[a-zA-Z0-9_-][a-zA-Z0-9._-]*$":
    "can contain only letters, digits, dots, underscores and hyphens, and must not be empty or begin with a dot",
  "^[a-zA-Z0-9_@-][a-zA-Z0-9._@-]*$":
    "can contain only letters, digits, dots, underscores, hyphens and at signs, and must not be empty or begin with a dot",
  "^[A-Za-z0-9][A-Za-z0-9._:+-]{0,254}$":
    "must be 1 to 255 letters, digits, dots, underscores, colons, plus signs and hyphens, and must begin with a letter or a digit",
  "^[a-zA-Z0-9][a-zA-Z0-9._:/-]*$":
    "can contain only letters, digits, dots, underscores, colons, slashes and hyphens, and must begin with a letter or a digit",
  "^[!-9;-~]*$": "can contain only visible characters of ASCII, and no colon",
  "^[0-9]{12}$": "must be 12 digits",
  "^[A-Za-z0-9_-]+$":
    "can contain only letters, digits, underscores and hyphens, and must not be empty",
  "^([0-9a-f]{40}(/[0-9a-f]{16})*)?$":
    "must be empty, or 40 lowercase hexadecimal digits, and a slash and 16 more for each level below the organization",
};

/** Says what a pattern requires. Undefined for a pattern without words. */
export const patternWords = (pattern: string): string | undefined => words[pattern];

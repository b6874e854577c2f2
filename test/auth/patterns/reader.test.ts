/** The structure of a pattern, as its reader sees it. */
import { expect, test } from "vitest";
import { type PatternVisitor, readPattern } from "../../../src/auth/patterns/reader.ts";

const letters = [..."abAB.*|)\\ \n"];

/** Writes the structure: a sequence as `(x y)`, alternatives as `(x or y)`, and a set by some of its characters. */
const writer: PatternVisitor<string> = {
  nothing: () => "nothing",
  character: ({ mayHave }) =>
    JSON.stringify(letters.filter((one) => mayHave(one.charCodeAt(0))).join("")),
  assertion: (where) => where,
  sequence: (first, second) => `(${first} ${second})`,
  alternation: (first, second) => `(${first} or ${second})`,
  repetition: (one, least, greatest) => `${one}{${least},${greatest}}`,
  captured: (inner) => `<${inner}>`,
};

const all = JSON.stringify(letters.join(""));
const line = JSON.stringify(letters.slice(0, -1).join(""));

test.for([
  ["", "nothing", 0],
  ["ab|", '(("a" "b") or nothing)', 0],
  ["a|b|A", '(("a" or "b") or "A")', 0],
  ["a(?:b|(A))B", '(("a" ("b" or <"A">)) "B")', 2],
  ["((a))(b)", '(<<"a">> <"b">)', 2],
  ["(?P<name>a)(?<name>b)", '(<"a"> <"b">)', 1],
  ["(?:a(b", '("a" <"b">)', 2],
  ["a)b", '("a" "b")', 0],
  ["a*b+A?", '(("a"{0,Infinity} "b"{1,Infinity}) "A"{0,1})', 0],
  ["a*?b+?A??", '(("a"{0,Infinity} "b"{1,Infinity}) "A"{0,1})', 0],
  ["a{2}b{2,}A{2,3}?", '(("a"{2,2} "b"{2,Infinity}) "A"{2,3})', 0],
  ["a{0}b{0,0}", '("a"{0,0} "b"{0,0})', 0],
  ["a{1000}b{5,1002}", '("a"{1000,1000} "b"{5,1001})', 0],
  ["ab{2}", '("a" "b"{2,2})', 0],
  ["(ab){2}", '<("a" "b")>{2,2}', 1],
  ["*a", '"a"', 0],
  ["*", "nothing", 0],
  ["a|*", '("a" or nothing)', 0],
  ["a|*b", '("a" or "b")', 0],
  ["(*a)+", '<"a">{1,Infinity}', 1],
  ["^a$", '((start "a") end)', 0],
  ["\\Aa\\z", '((start "a") end)', 0],
  ["\\ba\\B", '((beside "a") beside)', 0],
  ["(?m)^a$", '((beside "a") beside)', 0],
  ["(?m)\\Aa\\z", '((start "a") end)', 0],
  ["(?m)(?-m)^a$", '((start "a") end)', 0],
  ["(?m:^)a$", '((beside "a") end)', 1],
  ["(a(?m)^)$", '(<("a" beside)> end)', 1],
  ["(?i)a(?-i)b", '("aA" "b")', 0],
  ["(?i:a)b", '("aA" "b")', 1],
  ["(?i:a(?-i:a))a", '(("aA" "a") "a")', 2],
  ["(?i)(?s)a.", `("aA" ${all})`, 0],
  ["(?is)a.(?-s).", `(("aA" ${all}) ${line})`, 0],
  ["(?i-s)a.", `("aA" ${line})`, 0],
  ["(?U)a", '"a"', 0],
  ["\\Q.*\\E.", `(("." "*") ${line})`, 0],
  ["\\Q|)", '("|" ")")', 0],
  ["\\Q\\E{2}a", '"a"', 0],
  ["(?i)\\Qa\\Eb", '("aA" "bB")', 0],
  ["\\Qab\\E*", '("a" "b"{0,Infinity})', 0],
] as const)("%j is %s, with %i groups open at once", ([pattern, structure, depth]) => {
  expect(readPattern(pattern, writer)).toEqual({ made: structure, depth });
});

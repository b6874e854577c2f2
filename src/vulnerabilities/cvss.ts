/** Vectors of the Common Vulnerability Scoring System (FIRST, versions 2, 3.0, 3.1 and 4.0). */
import { Severity_Type } from "../../schema/gen/platform/vulnerabilities/v2/advisories_pb.js";

/** The metrics of a version with their values, in the order that version 4 requires. */
type Metrics = Record<string, string>;

const metricsOf = (names: string, values: string): Metrics =>
  Object.fromEntries(names.split(" ").map((name) => [name, values]));

const version2: Metrics = {
  AV: "N A L",
  AC: "L M H",
  Au: "M S N",
  ...metricsOf("C I A", "N P C"),
  E: "U POC F H ND",
  RL: "OF TF W U ND",
  RC: "UC UR C ND",
  CDP: "N L LM MH H ND",
  TD: "N L M H ND",
  ...metricsOf("CR IR AR", "L M H ND"),
};

const version3: Metrics = {
  AV: "N A L P",
  AC: "L H",
  PR: "N L H",
  UI: "N R",
  S: "U C",
  ...metricsOf("C I A", "N L H"),
  E: "X U P F H",
  RL: "X O T W U",
  RC: "X U R C",
  ...metricsOf("CR IR AR", "X L M H"),
  MAV: "X N A L P",
  MAC: "X L H",
  MPR: "X N L H",
  MUI: "X N R",
  MS: "X U C",
  ...metricsOf("MC MI MA", "X N L H"),
};

const base4: Metrics = {
  AV: "N A L P",
  AC: "L H",
  AT: "N P",
  PR: "N L H",
  UI: "N P A",
  ...metricsOf("VC VI VA SC SI SA", "H L N"),
};

const version4: Metrics = {
  ...base4,
  E: "X A P U",
  ...metricsOf("CR IR AR", "X H M L"),
  MAV: "X N A L P",
  MAC: "X L H",
  MAT: "X N P",
  MPR: "X N L H",
  MUI: "X N P A",
  ...metricsOf("MVC MVI MVA MSC", "X N L H"),
  ...metricsOf("MSI MSA", "X N L H S"),
  S: "X N P",
  AU: "X N Y",
  R: "X A U I",
  V: "X D C",
  RE: "X L M H",
  U: "X Clear Green Amber Red",
};

/** Whether a score is a vector of its type, as OSV requires. A number alone is not. */
export function isCvssVector({ type, score }: { type: Severity_Type; score: string }): boolean {
  switch (type) {
    case Severity_Type.CVSS_V2:
      return areMetricsOf(version2, score);
    case Severity_Type.CVSS_V3:
      return (
        /^CVSS:3\.[01]\//.test(score) && areMetricsOf(version3, score.slice("CVSS:3.x/".length))
      );
    case Severity_Type.CVSS_V4:
      return score.startsWith("CVSS:4.0/") && areVersion4Metrics(score.slice("CVSS:4.0/".length));
    default:
      return false;
  }
}

const pairsOf = (text: string) => text.split("/").map((metric) => metric.split(":"));

const areMetricsOf = (metrics: Metrics, text: string) =>
  pairsOf(text).every(
    ([name = "", value = "", ...rest]) =>
      rest.length === 0 &&
      value !== "" &&
      Object.hasOwn(metrics, name) &&
      !!metrics[name]?.split(" ").includes(value),
  );

/** Version 4 requires the base metrics, and all metrics in order. */
function areVersion4Metrics(text: string): boolean {
  const order = Object.keys(version4);
  const positions = pairsOf(text).map(([name = ""]) => order.indexOf(name));
  const isOrdered = positions.every(
    (position, i) => i === 0 || position > (positions[i - 1] ?? -1),
  );
  const hasBaseInOrder = Object.keys(base4).every((_, i) => positions[i] === i);
  return isOrdered && hasBaseInOrder && areMetricsOf(version4, text);
}

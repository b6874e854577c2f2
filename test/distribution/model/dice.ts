/** Decisions from a seed. */
import { randomNumbers } from "../../world/random.ts";

export class Dice {
  /** From 0 up to, but not including, 1. */
  readonly number: () => number;

  constructor(seed: number) {
    this.number = randomNumbers(Math.imul(seed, 0x9e3779b1));
  }

  /** A whole number from `first` to `last`. */
  between(first: number, last: number): number {
    return first + Math.floor(this.number() * (last - first + 1));
  }

  chance(probability: number): boolean {
    return this.number() < probability;
  }

  pick<const T>(list: readonly [T, ...T[]]): T;
  pick<T>(list: readonly T[]): T | undefined;
  pick<T>(list: readonly T[]): T | undefined {
    return list[this.between(0, list.length - 1)];
  }

  /** Undefined if there is nothing to choose from. */
  weighted<T>(choices: readonly (readonly [T, number])[]): T | undefined {
    let left = this.number() * choices.reduce((sum, [, weight]) => sum + weight, 0);
    return choices.find(([, weight]) => {
      left -= weight;
      return left < 0;
    })?.[0];
  }
}

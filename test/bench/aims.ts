// Figures that the project set itself. They are meant for a quiet machine with two cores: see the calibration.
import { printTable } from "./statistics";

interface Aim {
  readonly title: string;
  readonly measured: number;
  readonly unit: "ms" | "MB";
  readonly aim: number;
}

const aims: Aim[] = [];

/** Notes a figure that has an aim. */
export function noteAim(title: string, measured: number, aim: number, unit: Aim["unit"]): void {
  aims.push({ title, measured, aim, unit });
}

/** Prints all that were noted. */
export function printAims(print: (line: string) => void): void {
  print("");
  print("Aims, for a quiet machine with two cores");
  printTable(
    [
      { title: "figure", align: "left" },
      { title: "measured", align: "right" },
      { title: "aim", align: "right" },
      { title: "", align: "left" },
    ],
    aims.map(({ title, measured, unit, aim }) => [
      title,
      `${measured.toFixed(0)} ${unit}`,
      `${aim} ${unit}`,
      measured <= aim ? "met" : "missed",
    ]),
    print,
  );
}

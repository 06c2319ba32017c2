// SPDX-License-Identifier: Apache-2.0
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;

/** Runs the EMF judge several times in one process. Each line of the file named by the argument is one run, separated
 *  by tabs: the file that takes what is printed, then the judge's arguments. */
public class EmfBatch {
  public static void main(String[] arguments) throws Exception {
    for (String line : Files.readAllLines(Paths.get(arguments[0]), StandardCharsets.UTF_8)) {
      String[] words = line.split("\t");
      try (PrintStream out = new PrintStream(new BufferedOutputStream(new FileOutputStream(words[0])), false, "UTF-8")) {
        System.setOut(out);
        try {
          EmfOracle.main(Arrays.copyOfRange(words, 1, words.length));
        } catch (Exception failure) {
          out.println("the judge failed: " + failure);
        }
      }
    }
  }
}

import ciir.umass.edu.learning.DataPoint;
import ciir.umass.edu.learning.Ranker;
import ciir.umass.edu.learning.RankerFactory;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * Loads RankLib models and scores rows of feature values, as an LTR plugin does.
 *
 * <p>Input: a line "load n" and n lines of a model file, then "rows n" and n lines of numbers, one per feature. The line
 * "again 0" stands for the rows before. Output: for a model, a line with "ok" and its name, or with "error" and the
 * reason; for each row, its score as a double.
 */
public class Scores {
  private static Ranker current;
  private static Row[] rows;

  public static void main(String[] arguments) throws Exception {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    System.setOut(System.err); // the library announces each model it loads
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] command = line.split(" ");
      String[] lines = new String[Integer.parseInt(command[1])];
      for (int i = 0; i < lines.length; i++) lines[i] = in.readLine();
      if (command[0].equals("rows")) {
        rows = new Row[lines.length];
        for (int i = 0; i < lines.length; i++) rows[i] = new Row(lines[i].split(" "));
      }
      out.println(command[0].equals("load") ? load(String.join("\n", lines)) : scores());
      out.flush();
    }
  }

  private static String load(String text) {
    try {
      current = new RankerFactory().loadRankerFromString(text);
      return "ok " + current.name();
    } catch (RuntimeException | AssertionError fault) {
      return "error " + fault.toString().replaceAll("\\s+", " ");
    }
  }

  private static String scores() {
    StringBuilder answers = new StringBuilder();
    for (int i = 0; i < rows.length; i++) {
      answers.append(i == 0 ? "" : "\n").append(current.eval(rows[i]));
    }
    return answers.toString();
  }

  /** A row of float values; features count from 1. */
  private static class Row extends DataPoint {
    Row(String[] numbers) {
      fVals = new float[numbers.length + 1];
      for (int k = 0; k < numbers.length; k++) fVals[k + 1] = Float.parseFloat(numbers[k]);
    }

    @Override
    public float getFeatureValue(int feature) {
      return fVals[feature];
    }

    @Override
    public void setFeatureValue(int feature, float value) {
      fVals[feature] = value;
    }

    @Override
    public void setFeatureVector(float[] values) {
      fVals = values;
    }

    @Override
    public float[] getFeatureVector() {
      return fVals;
    }
  }
}

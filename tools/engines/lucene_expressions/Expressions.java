import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.text.ParseException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.antlr.v4.runtime.tree.ParseTree;
import org.apache.lucene.expressions.Expression;
import org.apache.lucene.expressions.js.JavascriptCompiler;
import org.apache.lucene.search.DoubleValues;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.commons.CodeSizeEvaluator;

/**
 * Compiles Lucene expressions and evaluates them for rows of values, as a derived feature of an LTR plugin does.
 *
 * <p>Input: a line "load n" and n lines that form the expression, then "rows n" and n lines of numbers, one per variable.
 * The line "again 0" stands for the rows before. Output: for an expression, a line with "ok", the bytes of its compiled
 * method and its variables, or with "error" and the reason; for each row, its value as a double.
 */
public class Expressions {
  private static Expression current;
  private static double[][] rows;

  public static void main(String[] arguments) throws Exception {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] command = line.split(" ");
      String[] lines = new String[Integer.parseInt(command[1])];
      for (int i = 0; i < lines.length; i++) lines[i] = in.readLine();
      if (command[0].equals("rows")) rows = numbers(lines);
      out.println(command[0].equals("load") ? load(String.join("\n", lines)) : values());
      out.flush();
    }
  }

  private static String load(String text) throws Exception {
    try {
      current = JavascriptCompiler.compile(text);
      return ("ok " + methodBytes(text) + " " + String.join(" ", current.variables)).trim();
    } catch (ParseException | RuntimeException | StackOverflowError | InvocationTargetException fault) {
      Throwable cause = fault instanceof InvocationTargetException ? fault.getCause() : fault;
      return "error " + cause.toString().replaceAll("\\s+", " ");
    }
  }

  private static double[][] numbers(String[] lines) {
    double[][] numbers = new double[lines.length][];
    for (int i = 0; i < lines.length; i++) {
      numbers[i] = Arrays.stream(lines[i].split(" ")).mapToDouble(Double::parseDouble).toArray();
    }
    return numbers;
  }

  private static String values() throws Exception {
    Value[] variables = new Value[current.variables.length];
    for (int k = 0; k < variables.length; k++) variables[k] = new Value();
    StringBuilder answers = new StringBuilder();
    for (int i = 0; i < rows.length; i++) {
      for (int k = 0; k < variables.length; k++) variables[k].number = rows[i][k];
      answers.append(i == 0 ? "" : "\n").append(current.evaluate(variables));
    }
    return answers.toString();
  }

  /** Bytes of the method into which the expression is compiled: above 8,000, a JVM interprets it for ever. */
  private static int methodBytes(String text) throws Exception {
    Constructor<JavascriptCompiler> constructor =
        JavascriptCompiler.class.getDeclaredConstructor(String.class, Map.class, boolean.class);
    Method parse = JavascriptCompiler.class.getDeclaredMethod("getAntlrParseTree");
    Method generate =
        JavascriptCompiler.class.getDeclaredMethod("generateClass", ParseTree.class, ClassWriter.class, Map.class);
    constructor.setAccessible(true);
    parse.setAccessible(true);
    generate.setAccessible(true);
    JavascriptCompiler compiler = constructor.newInstance(text, JavascriptCompiler.DEFAULT_FUNCTIONS, false);
    ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_FRAMES | ClassWriter.COMPUTE_MAXS);
    generate.invoke(compiler, parse.invoke(compiler), writer, new LinkedHashMap<String, Integer>());
    int[] bytes = new int[1];
    new ClassReader(writer.toByteArray()).accept(new ClassVisitor(Opcodes.ASM7) {
      @Override
      public MethodVisitor visitMethod(int access, String name, String type, String signature, String[] exceptions) {
        return !name.equals("evaluate") ? null : new CodeSizeEvaluator(Opcodes.ASM7, null) {
          @Override
          public void visitEnd() {
            bytes[0] = getMinSize(); // below 32 kB all jumps are short
          }
        };
      }
    }, 0);
    return bytes[0];
  }

  private static class Value extends DoubleValues {
    double number;

    @Override
    public double doubleValue() {
      return number;
    }

    @Override
    public boolean advanceExact(int document) {
      return true;
    }
  }
}

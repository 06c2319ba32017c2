// SPDX-License-Identifier: Apache-2.0
// What changed from 0.9.2 to 0.9.3: ticks and families of deviations.

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "tests/migration/converted.hpp"
#include "tests/support/small_model.hpp"
#include "tests/support/test_models.hpp"

namespace rules_to_0_9_3_test {

namespace {

std::string runnable(std::string_view items) {
  return fmt::format(R"(<swModel><runnables name="R">{}</runnables></swModel>
    <hwModel>
      <featureCategories name="Instructions"><features name="IPC_2" value="2.0"/></featureCategories>
      <definitions xsi:type="am:ProcessingUnitDefinition" name="Fast" features="Instructions/IPC_2?type=HwFeature"/>
      <definitions xsi:type="am:ProcessingUnitDefinition" name="Slow"/>
    </hwModel>)",
                     items);
}

constexpr std::string_view needs = "Ticks for needs of instructions";

}  // namespace

TEST_CASE("instruction needs become ticks rounded down per definition") {
  const auto converted = test::convert("0.9.2", runnable(R"(<runnableItems xsi:type="am:ExecutionNeed">
      <default key="Instructions"><value xsi:type="am:NeedConstant" value="7"/></default>
      <extended key="Fast?type=ProcessingUnitDefinition">
        <value key="Instructions"><value xsi:type="am:NeedConstant" value="7"/></value>
      </extended>
      <extended key="Slow?type=ProcessingUnitDefinition">
        <value key="Instructions"><value xsi:type="am:NeedConstant" value="9"/></value>
      </extended>
    </runnableItems>)"),
                                       "0.9.3");
  CHECK(converted.has("/swModel/runnables.0/runnableItems.0 : Ticks"));
  CHECK(converted.has("/swModel/runnables.0/runnableItems.0/default @value = 7"));
  CHECK(converted.has("/swModel/runnables.0/runnableItems.0/extended.0/value @value = 3"));
  CHECK(converted.has("/swModel/runnables.0/runnableItems.0/extended.1/value @value = 9"));
  CHECK(converted.count(needs) > 0);
  CHECK(test::holds(converted.diagnostics.all().front().message, "per cycle"));  // of the default
}

TEST_CASE("other needs stay an execution need beside the ticks in their position") {
  const auto converted = test::convert("0.9.2", runnable(R"(<runnableItems xsi:type="am:ExecutionNeed">
      <default key="FLOP"><value xsi:type="am:NeedConstant" value="4"/></default>
      <default key="Instructions"><value xsi:type="am:NeedConstant" value="8"/></default>
      <extended key="Fast?type=ProcessingUnitDefinition">
        <value key="FLOP"><value xsi:type="am:NeedConstant" value="2"/></value>
      </extended>
    </runnableItems>
    <runnableItems xsi:type="am:SemaphoreAccess"/>)"),
                                       "0.9.3");
  CHECK(converted.has("/swModel/runnables.0/runnableItems.0 : Ticks"));
  CHECK(converted.has("/swModel/runnables.0/runnableItems.1 : ExecutionNeed"));
  CHECK(converted.has("/swModel/runnables.0/runnableItems.1/needs.0 @key = FLOP"));
  CHECK(converted.has("/swModel/runnables.0/runnableItems.1/needs.0/value : DiscreteValueConstant"));
  CHECK(converted.has("/swModel/runnables.0/runnableItems.2 : SemaphoreAccess"));
  CHECK(test::holds(converted.text(), "amalthea-converted.0.9.2.extended"));  // the FLOP of Fast
}

TEST_CASE("deviations of needs become discrete values of their distribution kind") {
  const auto of = [](std::string_view distribution) {
    return test::convert("0.9.2",
                         runnable(fmt::format(R"(<runnableItems xsi:type="am:ExecutionNeed">
      <extended key="Fast?type=ProcessingUnitDefinition"><value key="Instructions"><value xsi:type="am:NeedDeviation">
        <deviation>
          <lowerBound xsi:type="am:LongObject" value="11"/><upperBound xsi:type="am:LongObject" value="21"/>{}
        </deviation></value></value></extended></runnableItems>)",
                                              distribution)),
                         "0.9.3");
  };
  const std::string at = "/swModel/runnables.0/runnableItems.0/extended.0/value ";
  const auto boundaries = of(R"(<distribution xsi:type="am:Boundaries" samplingType="WorstCase"/>)");
  CHECK(boundaries.has(at + ": DiscreteValueBoundaries"));
  CHECK(boundaries.has(at + "@samplingType = WorstCase"));
  CHECK(boundaries.has(at + "@lowerBound = 5"));
  CHECK(boundaries.has(at + "@upperBound = 10"));
  CHECK(of(R"(<distribution xsi:type="am:UniformDistribution"/>)").has(at + ": DiscreteValueUniformDistribution"));
  const auto beta = of(R"(<distribution xsi:type="am:BetaDistribution" alpha="2.0" beta="3.0"/>)");
  CHECK(beta.has(at + ": DiscreteValueBetaDistribution"));
  CHECK(test::holds(beta.text(), R"(alpha="2.0" beta="3.0")"));
  const auto gauss = of(R"(<distribution xsi:type="am:GaussDistribution"><sd xsi:type="am:LongObject" value="3"/>
      <mean xsi:type="am:LongObject" value="15"/></distribution>)");
  CHECK(gauss.has(at + ": DiscreteValueGaussDistribution"));
  CHECK(test::holds(gauss.text(), R"(mean="7.0" sd="1.5")"));
  const auto weibull = of(R"(<distribution xsi:type="am:WeibullEstimators" pRemainPromille="0.5">
      <mean xsi:type="am:LongObject" value="16"/></distribution>)");
  CHECK(weibull.has(at + ": DiscreteValueWeibullEstimatorsDistribution"));
  CHECK(test::holds(weibull.text(), R"(average="8.0" pRemainPromille="0.5")"));
  CHECK(of("").has(at + ": DiscreteValueBoundaries"));  // bounds alone
  const auto parameters = of(R"(<distribution xsi:type="am:WeibullParameters" kappa="1.5" lambda="2.5"/>)");
  CHECK(parameters.has(at + ": DiscreteValueBoundaries"));
  CHECK(test::holds(parameters.text(), "amalthea-converted.0.9.2.kappa"));
}

TEST_CASE("overheads of the operating system become ticks and references follow") {
  const auto converted = test::convert("0.9.2", R"(<osModel>
      <operatingSystems name="Os" overhead="Costs?type=OsInstructions">
        <taskSchedulers name="S"><computationItems xsi:type="am:ExecutionNeed">
          <default key="Instructions"><value xsi:type="am:NeedConstant" value="5"/></default>
          <default key="FLOP"><value xsi:type="am:NeedConstant" value="6"/></default>
        </computationItems></taskSchedulers>
      </operatingSystems>
      <osOverheads name="Costs"><apiOverhead>
          <apiSetEvent xsi:type="am:InstructionsConstant" value="12"><fetchStatistic/></apiSetEvent></apiOverhead>
        <isrCategory1Overhead><preExecutionOverhead xsi:type="am:InstructionsDeviation"><deviation>
          <lowerBound xsi:type="am:LongObject" value="1"/><upperBound xsi:type="am:LongObject" value="2"/>
          <distribution xsi:type="am:UniformDistribution"/></deviation></preExecutionOverhead></isrCategory1Overhead>
      </osOverheads></osModel>)",
                                       "0.9.3");
  CHECK(converted.has("/osModel/osOverheads.0 : OsOverhead"));
  CHECK(converted.has("/osModel/operatingSystems.0 >overhead = /osModel/osOverheads.0"));
  CHECK(converted.has("/osModel/osOverheads.0/apiOverhead : OsAPIOverhead"));
  CHECK(converted.has("/osModel/osOverheads.0/apiOverhead/apiSetEvent : Ticks"));
  CHECK(converted.has("/osModel/osOverheads.0/apiOverhead/apiSetEvent/default @value = 12"));
  CHECK(converted.has("/osModel/osOverheads.0/isrCategory1Overhead/preExecutionOverhead/default @upperBound = 2"));
  CHECK(converted.has("/osModel/operatingSystems.0/taskSchedulers.0/computationItems.0 : Ticks"));
  CHECK(test::holds(converted.text(), "amalthea-converted.0.9.2.computationItems.default"));
  CHECK(test::holds(converted.text(), "amalthea-converted.0.9.2.fetchStatistic"));
}

TEST_CASE("latencies become discrete values and constant ones are restored") {
  const auto converted = test::convert("0.9.2", R"(<hwModel>
      <definitions xsi:type="am:MemoryDefinition" name="M"><accessLatency xsi:type="am:LatencyConstant" cycles="4"/></definitions>
      <definitions xsi:type="am:ConnectionHandlerDefinition" name="C">
        <readLatency xsi:type="am:LatencyDeviation"><cycles><lowerBound xsi:type="am:LongObject" value="1"/>
          <upperBound xsi:type="am:LongObject" value="3"/><distribution xsi:type="am:UniformDistribution"/></cycles></readLatency>
      </definitions></hwModel>)",
                                       "0.9.3");
  CHECK(converted.has("/hwModel/definitions.0/accessLatency : DiscreteValueConstant"));
  CHECK(converted.has("/hwModel/definitions.0/accessLatency @value = 4"));
  CHECK(converted.has("/hwModel/definitions.1/readLatency : DiscreteValueUniformDistribution"));
  CHECK(converted.has("/hwModel/definitions.1/readLatency @upperBound = 3"));
  const auto back = test::convert("0.9.3", R"(<hwModel><definitions xsi:type="am:MemoryDefinition" name="M">
      <accessLatency xsi:type="am:DiscreteValueConstant" value="4"/></definitions></hwModel>)",
                                  "0.9.2");
  CHECK(back.has("/hwModel/definitions.0/accessLatency @cycles = 4"));
}

TEST_CASE("deviations of times and of occurrences get separate classes") {
  const auto converted = test::convert("0.9.2", R"(<swModel>
      <activations xsi:type="am:SporadicActivation" name="A"><activationDeviation>
        <lowerBound xsi:type="am:Time" value="1" unit="ms"/><upperBound xsi:type="am:Time" value="2" unit="ms"/>
        <distribution xsi:type="am:BetaDistribution" alpha="1.0" beta="1.0"/></activationDeviation></activations>
    </swModel><stimuliModel>
      <stimuli xsi:type="am:PeriodicStimulus" name="P"><recurrence value="9" unit="ms"/><jitter>
        <distribution xsi:type="am:GaussDistribution"><sd xsi:type="am:Time" value="1" unit="us"/>
          <mean xsi:type="am:Time" value="5" unit="us"/></distribution></jitter></stimuli>
      <stimuli xsi:type="am:VariableRateStimulus" name="V"><step value="1" unit="ms"/><occurrencesPerStep>
        <lowerBound xsi:type="am:DoubleObject" value="0.5"/><upperBound xsi:type="am:DoubleObject" value="1.5"/>
        <distribution xsi:type="am:UniformDistribution"/></occurrencesPerStep>
        <maxIncreasePerStep value="0.25"/></stimuli>
    </stimuliModel>)",
                                       "0.9.3");
  CHECK(converted.has("/swModel/activations.0/occurrence : TimeBetaDistribution"));
  CHECK(converted.has("/swModel/activations.0/occurrence/lowerBound @unit = ms"));
  CHECK(converted.has("/stimuliModel/stimuli.0/jitter : TimeGaussDistribution"));
  CHECK(converted.has("/stimuliModel/stimuli.0/jitter/mean @value = 5"));
  CHECK_FALSE(test::holds(converted.dump, "/stimuliModel/stimuli.0/jitter/lowerBound"));
  CHECK(converted.has("/stimuliModel/stimuli.1/occurrencesPerStep : ContinuousValueUniformDistribution"));
  CHECK(test::holds(converted.text(), R"(lowerBound="0.5" upperBound="1.5")"));
  CHECK(test::holds(converted.text(), R"(maxIncreasePerStep="0.25")"));
}

TEST_CASE("instructions to process a chunk become ticks and are restored") {
  const auto file = [](std::string_view attribute) {
    return fmt::format(R"(<swModel><runnables name="R"><runnableItems xsi:type="am:LabelAccess" access="read">
        <transmissionPolicy {}="3"/></runnableItems></runnables></swModel>)",
                       attribute);
  };
  CHECK(test::convert("0.9.2", file("chunkProcessingInstructions"), "0.9.3")
            .has("/swModel/runnables.0/runnableItems.0/transmissionPolicy @chunkProcessingTicks = 3"));
  CHECK(test::convert("0.9.3", file("chunkProcessingTicks"), "0.9.2")
            .has("/swModel/runnables.0/runnableItems.0/transmissionPolicy @chunkProcessingInstructions = 3"));
}

TEST_CASE("ticks and deviations are restored to instructions and distributions") {
  constexpr std::string_view model = R"(<swModel>
      <runnables name="R"><runnableItems xsi:type="am:ExecutionNeed">
        <default key="Instructions"><value xsi:type="am:NeedDeviation"><deviation>
          <lowerBound xsi:type="am:LongObject" value="1"/><upperBound xsi:type="am:LongObject" value="9"/>
          <distribution xsi:type="am:WeibullEstimators" pRemainPromille="0.5"><mean xsi:type="am:LongObject" value="4"/></distribution>
        </deviation></value></default>
        <extended key="Slow?type=ProcessingUnitDefinition">
          <value key="Instructions"><value xsi:type="am:NeedConstant" value="9"/></value></extended>
      </runnableItems>
      <runnableItems xsi:type="am:ExecutionNeed">
        <default key="FLOP"><value xsi:type="am:NeedConstant" value="4"/></default></runnableItems></runnables>
      <activations xsi:type="am:SporadicActivation" name="A"><activationDeviation>
        <lowerBound xsi:type="am:Time" value="1" unit="ms"/><upperBound xsi:type="am:Time" value="2" unit="ms"/>
        <distribution xsi:type="am:BetaDistribution" alpha="1.0" beta="1.0"/></activationDeviation></activations>
    </swModel>
    <hwModel><definitions xsi:type="am:ProcessingUnitDefinition" name="Slow"/>
      <definitions xsi:type="am:ConnectionHandlerDefinition" name="C"><readLatency xsi:type="am:LatencyDeviation"><cycles>
        <lowerBound xsi:type="am:LongObject" value="1"/><upperBound xsi:type="am:LongObject" value="3"/>
        <distribution xsi:type="am:UniformDistribution"/></cycles></readLatency></definitions></hwModel>
    <osModel><osOverheads name="Costs"><apiOverhead>
        <apiSetEvent xsi:type="am:InstructionsConstant" value="12"/></apiOverhead></osOverheads></osModel>
    <stimuliModel><stimuli xsi:type="am:VariableRateStimulus" name="V"><step value="1" unit="ms"/><occurrencesPerStep>
        <lowerBound xsi:type="am:DoubleObject" value="0.5"/><upperBound xsi:type="am:DoubleObject" value="1.5"/>
        <distribution xsi:type="am:UniformDistribution"/></occurrencesPerStep><maxIncreasePerStep value="0.25"/></stimuli>
    </stimuliModel>)";
  const auto there = test::convert("0.9.2", model, "0.9.3");
  const auto back = test::convert("0.9.3", test::content_of(there.text()), "0.9.2");
  REQUIRE(back.done);
  CHECK(test::differences(back.dump, test::convert("0.9.2", model, "0.9.2").dump).empty());
  // Statistics are no distribution of 0.9.2.
  CHECK_FALSE(test::convert("0.9.3", R"(<swModel><runnables name="R"><runnableItems xsi:type="am:Ticks">
      <default xsi:type="am:DiscreteValueStatistics" lowerBound="1" upperBound="2" average="1.5"/></runnableItems></runnables></swModel>)",
                            "0.9.2")
                  .done);
}

TEST_CASE("examples migrated by AMALTHEA from 0.9.2 to 0.9.5 match in both directions") {
  const std::string corpus = test::corpus_folder();
  const std::string history = corpus + "/app4mc/history/", examples = corpus + "/app4mc/0.9.5/examples/";
  const std::pair<std::string, std::string> files[] = {
      {"democar", "app4mc.example.democar/democar"},
      {"AMALTHEA_Democar_MappingExample_withTasks",
       "app4mc.example.tool.mapping/model/AMALTHEA_Democar_MappingExample_withTasks"},
      {"AMALTHEA_Democar_MappingExample", "app4mc.example.tool.mapping/model/AMALTHEA_Democar_MappingExample"},
      {"AMALTHEA_Democar_EnergyEfficientMappingExample",
       "app4mc.example.tool.mapping/modelEnergyEfficient/AMALTHEA_Democar_EnergyEfficientMappingExample"},
      {"modeling_example_feedback_loop_4",
       "app4mc.example.modeling.feedback_loop/step_4/modeling_example_feedback_loop_4"},
      {"modeling_example_feedback_loop_7",
       "app4mc.example.modeling.feedback_loop/step_7/modeling_example_feedback_loop_7"}};
  for (const auto& [name, example] : files) {
    INFO(name);
    const std::string last = examples + example + ".amxmi";
    const std::pair<std::string, std::string> steps[] = {{"0.9.3", fmt::format("{}0.9.3/{}.amxmi", history, name)},
                                                         {"0.9.4", fmt::format("{}0.9.4/{}.amxmi", history, name)},
                                                         {"0.9.5", last}};
    const auto first = fmt::format("{}0.9.2/{}.amxmi", history, name);
    for (const auto& [version, reference] : steps) {
      INFO(version);
      const auto converted = test::convert_files({first}, version);
      CHECK(test::differences(converted.dump, test::dump_of({reference})).empty());
    }
    const auto back = test::convert_files({last}, "0.9.2");
    REQUIRE(back.done);
    CHECK(test::differences(back.dump, test::dump_of({first})).empty());
  }
}

}  // namespace rules_to_0_9_3_test

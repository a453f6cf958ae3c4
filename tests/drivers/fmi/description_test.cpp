// SPDX-License-Identifier: Apache-2.0
#include "drivers/fmi/description/description.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string_view>

namespace tactus::drivers::fmi::description_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string two(const std::string& variables, const std::string& more = "",
                const std::string& structure = "") {
  return "<fmiModelDescription fmiVersion=\"2.0\" modelName=\"m\" guid=\"{1}\">\n"
         "<CoSimulation modelIdentifier=\"m\"/>\n" +
         more + "<ModelVariables>\n" + variables + "</ModelVariables>\n<ModelStructure>" + structure +
         "</ModelStructure></fmiModelDescription>";
}
std::string three(const std::string& variables, const std::string& more = "",
                  const std::string& structure = "") {
  return "<fmiModelDescription fmiVersion=\"3.0\" modelName=\"m\" instantiationToken=\"{1}\">\n"
         "<CoSimulation modelIdentifier=\"m\"/>\n" +
         more + "<ModelVariables>\n" + variables + "</ModelVariables>\n<ModelStructure>" + structure +
         "</ModelStructure></fmiModelDescription>";
}

struct Read {
  explicit Read(const std::string& xml) : description(read_description(xml, findings)) {}
  std::string all() const {
    std::string text;
    for (const Finding& finding : findings)
      text += (finding.error ? "" : "warning: ") + finding.message() + "\n";
    return text;
  }
  std::vector<Finding> findings;
  Description description;
};

const Variable* variable(const Description& description, std::string_view name) {
  const auto at = std::ranges::find(description.variables, name, &Variable::name);
  return at == description.variables.end() ? nullptr : &*at;
}

TEST(FmiDescription, Reads20) {
  const Read read(
      two(R"(<ScalarVariable name="speed" valueReference="3" causality="output" description="of the shaft">
               <Real declaredType="Speed"/></ScalarVariable>
             <ScalarVariable name="torque" valueReference="4" causality="input"><Real unit="N.m" start="1.5"/></ScalarVariable>
             <ScalarVariable name="mode" valueReference="1" causality="parameter"><Enumeration declaredType="Mode" start="5"/></ScalarVariable>
             <ScalarVariable name="on" valueReference="1" causality="parameter" variability="tunable"><Boolean start="true"/></ScalarVariable>
             <ScalarVariable name="n" valueReference="1"><Integer min="-1" max="3"/></ScalarVariable>
             <ScalarVariable name="file" valueReference="1" causality="parameter"><String start="a b"/></ScalarVariable>)",
          R"(<UnitDefinitions><Unit name="rpm"><BaseUnit rad="1" s="-1" factor="0.10471975511965977"/></Unit>
             <Unit name="N.m"><BaseUnit kg="1" m="2" s="-2"/></Unit><Unit name="degC"><BaseUnit K="1" offset="273.15"/></Unit></UnitDefinitions>
             <TypeDefinitions><SimpleType name="Speed"><Real unit="rpm" min="0" max="9e3" relativeQuantity="true"/></SimpleType>
             <SimpleType name="Mode"><Enumeration><Item name="off" value="2"/><Item name="on" value="5"/></Enumeration></SimpleType></TypeDefinitions>
             <DefaultExperiment startTime="0" stopTime="3" tolerance="1e-4" stepSize="1e-2"/>)",
          R"(<Outputs><Unknown index="1"/></Outputs>)"));
  EXPECT_EQ(read.all(), "");
  const Description& d = read.description;
  EXPECT_EQ(d.version, Version::fmi2);
  EXPECT_EQ(d.token, "{1}");
  ASSERT_EQ(d.variables.size(), 6U);
  const Variable& speed = d.variables[0];
  EXPECT_EQ(speed.unit, "rpm");
  EXPECT_TRUE(speed.relative);
  EXPECT_EQ(speed.high, 9000);
  EXPECT_EQ(speed.about, "of the shaft");
  EXPECT_EQ(speed.initial, Initial::calculated);
  EXPECT_EQ(speed.variability, Variability::continuous);
  EXPECT_THAT(variable(d, "torque")->start.numbers, ElementsAre(1.5));
  EXPECT_EQ(variable(d, "torque")->initial, Initial::none);
  EXPECT_EQ(variable(d, "mode")->type, Type::enumeration);
  EXPECT_EQ(variable(d, "mode")->items[1].name, "on");
  EXPECT_EQ(variable(d, "mode")->variability, Variability::fixed);
  EXPECT_EQ(variable(d, "on")->variability, Variability::tunable);
  EXPECT_THAT(variable(d, "on")->start.wholes, ElementsAre(1));
  EXPECT_EQ(variable(d, "n")->causality, Causality::local);
  EXPECT_EQ(variable(d, "n")->type, Type::int32);
  EXPECT_THAT(variable(d, "file")->start.texts, ElementsAre("a b"));
  EXPECT_EQ(d.find_unit("rpm")->factor, 0.10471975511965977);
  EXPECT_EQ(d.find_unit("degC")->offset, 273.15);
  EXPECT_EQ(d.find_unit("N.m")->exponents, (Exponents{1, 2, -2, 0, 0, 0, 0, 0}));
  EXPECT_EQ(d.experiment.step, 0.01);
}

TEST(FmiDescription, Reads30) {
  const Read read(three(
      R"(<UInt64 name="n" valueReference="1" causality="structuralParameter" variability="tunable" start="2"/>
         <Float64 name="A" valueReference="2" causality="parameter" start="1 2 3 4 5 6"><Dimension valueReference="1"/><Dimension start="3"/></Float64>
         <Float32 name="u" valueReference="3" causality="input" start="-INF"><Alias name="u2"/></Float32>
         <Int8 name="y" valueReference="4" causality="output" clocks="9"/>
         <UInt64 name="big" valueReference="5" causality="parameter" start="18446744073709551615"/>
         <String name="s" valueReference="6" causality="parameter"><Start value="x"/></String>
         <Binary name="b" valueReference="7" causality="input" maxSize="8"><Start value="00fF"/></Binary>
         <Clock name="c" valueReference="9" causality="input" intervalVariability="constant" intervalCounter="1" resolution="60" priority="2"/>)",
      "", R"(<Output valueReference="4"/>)"));
  EXPECT_EQ(read.all(), "");
  const Description& d = read.description;
  EXPECT_EQ(variable(d, "A")->dimensions[0].size, 2U) << "the start value of its parameter";
  EXPECT_EQ(variable(d, "A")->dimensions[0].parameter, 1U);
  EXPECT_EQ(variable(d, "A")->dimensions[1].size, 3U);
  EXPECT_EQ(variable(d, "u")->start.numbers[0], -std::numeric_limits<double>::infinity());
  EXPECT_EQ(variable(d, "u")->initial, Initial::exact);
  EXPECT_THAT(variable(d, "y")->clocks, ElementsAre(9U));
  EXPECT_EQ(static_cast<std::uint64_t>(variable(d, "big")->start.wholes[0]), 18446744073709551615ULL);
  EXPECT_EQ(variable(d, "b")->start.texts[0], std::string("\0\xFF", 2));
  EXPECT_EQ(variable(d, "c")->clock.resolution, 60U);
  EXPECT_EQ(variable(d, "c")->clock.priority, 2U);
}

TEST(FmiDescription, ReadsCapabilities) {
  const Read read(R"(<fmiModelDescription fmiVersion="3.0.1" modelName="m" instantiationToken="t">
    <CoSimulation modelIdentifier="m" needsExecutionTool="true" canBeInstantiatedOnlyOncePerProcess="1"
      canGetAndSetFMUState="true" canSerializeFMUState="true" canHandleVariableCommunicationStepSize="true"
      fixedInternalStepSize="0.01" hasEventMode="true" providesIntermediateUpdate="true"
      canReturnEarlyAfterIntermediateUpdate="true"/>
    <ScheduledExecution modelIdentifier="s"/><ModelVariables/><ModelStructure/></fmiModelDescription>)");
  EXPECT_EQ(read.all(), "");
  const Interface& of = *read.description.co_simulation;
  EXPECT_TRUE(of.needs_execution_tool && of.once_per_process && of.get_and_set_state && of.serialize_state &&
              of.variable_step && of.event_mode && of.intermediate_update && of.early_return_after_update);
  EXPECT_FALSE(of.early_return);
  EXPECT_EQ(of.fixed_step, 0.01);
  EXPECT_EQ(read.description.scheduled_execution->identifier, "s");
  EXPECT_FALSE(read.description.model_exchange);
}

/// Every row: a variable, and what is said of it.
TEST(FmiDescription, NamesMistakesOf20) {
  const struct {
    const char* variable;
    const char* says;
  } rows[] = {
      {R"(<ScalarVariable valueReference="1"><Real/></ScalarVariable>)", "has no attribute name"},
      {R"(<ScalarVariable name="a"><Real/></ScalarVariable>)", "has no attribute valueReference"},
      {R"(<ScalarVariable name="a" valueReference="-1"><Real/></ScalarVariable>)",
       "'-1', which is not a whole number"},
      {R"(<ScalarVariable name="a" valueReference="1"/>)", "has no element Real"},
      {R"(<ScalarVariable name="a" valueReference="1" causality="ouput"><Real/></ScalarVariable>)",
       "causality is 'ouput'; parameter, calculatedParameter, structuralParameter, input, output, local and "
       "independent "
       "are possible; did you mean 'output'?"},
      {R"(<ScalarVariable name="a" valueReference="1" causality="parameter" variability="continuous"><Real start="1"/></ScalarVariable>)",
       "do not go together"},
      {R"(<ScalarVariable name="a" valueReference="1" variability="continuous"><Integer/></ScalarVariable>)",
       "only floating-point numbers"},
      {R"(<ScalarVariable name="a" valueReference="1" causality="input"><Real start="1,5"/></ScalarVariable>)",
       "start is '1,5', which is not a number"},
      {R"(<ScalarVariable name="a" valueReference="1" causality="input"><Boolean start="yes"/></ScalarVariable>)",
       "true and false"},
      {R"(<ScalarVariable name="a" valueReference="1" causality="input"><Integer start="3000000000"/></ScalarVariable>)",
       "not a whole number that fits"},
      {R"(<ScalarVariable name="a" valueReference="1" causality="input"><Real/></ScalarVariable>)",
       "warning: modelDescription.xml:4:2: variable 'a': has no start value"},
      {R"(<ScalarVariable name="a" valueReference="1"><Real declaredType="X"/></ScalarVariable>)",
       "'X' is not in TypeDefinitions"},
      {R"(<ScalarVariable name="a" valueReference="1"><Enumeration/></ScalarVariable>)",
       "has no declaredType"},
      {R"(<ScalarVariable name="a" valueReference="1"><Real min="2" max="1"/></ScalarVariable>)",
       "min is above max"},
  };
  for (const auto& row : rows)
    EXPECT_THAT(Read(two(row.variable)).all(), HasSubstr(row.says)) << row.variable;
}

TEST(FmiDescription, NamesMistakesOf30) {
  const struct {
    const char* variables;
    const char* says;
  } rows[] = {
      {R"(<Real name="a" valueReference="1"/>)", "has type 'Real', which FMI 3.0 does not know"},
      {R"(<Int8 name="a" valueReference="1"/><Int8 name="b" valueReference="1"/>)",
       "value reference 1 of variable 'a'"},
      {R"(<Int8 name="a" valueReference="1"/><Int8 name="a" valueReference="2"/>)", "is there twice"},
      {R"(<Int8 name="a" valueReference="1"><Dimension/></Int8>)", "either start or valueReference"},
      {R"(<Int8 name="a" valueReference="1"><Dimension valueReference="7"/></Int8>)",
       "not a structural parameter"},
      {R"(<Int8 name="a" valueReference="1" causality="input" start="1 2"><Dimension start="3"/></Int8>)",
       "has 2 start values for 3 elements"},
      {R"(<Int8 name="a" valueReference="1" causality="input" start="200"/>)",
       "not a whole number that fits"},
      {R"(<Int8 name="a" valueReference="1"><Dimension start="99999999999"/></Int8>)",
       "more than 10000000 elements"},
      {R"(<Int8 name="a" valueReference="1" clocks="4"/>)", "there is no such Clock"},
      {R"(<Clock name="c" valueReference="1" intervalVariability="sometimes"/>)",
       "intervalVariability is 'sometimes'"},
      {R"(<Binary name="b" valueReference="1" causality="input"><Start value="0g"/></Binary>)",
       "hexadecimal"},
      {R"(<Int8 name="" valueReference="1"/>)", "has an empty name"},
  };
  for (const auto& row : rows)
    EXPECT_THAT(Read(three(row.variables)).all(), HasSubstr(row.says)) << row.variables;
}

TEST(FmiDescription, NamesMistakesOfTheWhole) {
  const struct {
    const char* xml;
    const char* says;
  } rows[] = {
      {"", "is not XML"},
      {"<a><b></a>", "modelDescription.xml:1:"},
      {"<other/>", "fmiModelDescription is expected"},
      {R"(<fmiModelDescription/>)", "has no attribute fmiVersion"},
      {R"(<fmiModelDescription fmiVersion="1.0"/>)", "FMI 1.0, which tactus does not run"},
      {R"(<fmiModelDescription fmiVersion="4"/>)", "2.0 and 3.0 are possible"},
      {R"(<fmiModelDescription fmiVersion="2.0" modelName="m" guid="1"/>)", "nothing can be instantiated"},
      {R"(<fmiModelDescription fmiVersion="2.0" modelName="m"><CoSimulation modelIdentifier="../m"/></fmiModelDescription>)",
       "modelIdentifier is '../m'"},
      {R"(<fmiModelDescription fmiVersion="3.0" modelName="m"><CoSimulation modelIdentifier="m" fixedInternalStepSize="0"/></fmiModelDescription>)",
       "a time above 0"},
  };
  for (const auto& row : rows) {
    const Read read(row.xml);
    EXPECT_THAT(read.all(), HasSubstr(row.says)) << row.xml;
    EXPECT_TRUE(has_error(read.findings)) << row.xml;
  }
}

TEST(FmiDescription, NamesAllMistakesWithTheirPlaces) {
  const Read read(
      two("<ScalarVariable name=\"a\" valueReference=\"1\" causality=\"wrong\"><Real/></ScalarVariable>\n"
          "<ScalarVariable name=\"b\" valueReference=\"x\"><Real/></ScalarVariable>\n"));
  ASSERT_EQ(read.findings.size(), 2U);
  EXPECT_THAT(read.findings[0].message(),
              HasSubstr("modelDescription.xml:4:2: variable 'a': causality is 'wrong'"));
  EXPECT_THAT(read.findings[1].message(),
              HasSubstr("modelDescription.xml:5:2: variable 'b': valueReference is 'x'"));
}

TEST(FmiDescription, EndsALongListOfMistakes) {
  std::string variables;
  for (int i = 0; i < 1000; ++i) variables += "<Real/>";
  const Read read(three(variables));
  EXPECT_EQ(read.findings.size(), 101U);
  EXPECT_THAT(read.findings.back().text, HasSubstr("the others are not listed"));
}

}  // namespace
}  // namespace tactus::drivers::fmi::description_test
